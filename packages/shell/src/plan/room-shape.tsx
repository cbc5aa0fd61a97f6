import type { SpaceNode } from '@storey/sdk'
import { memo, type ReactNode } from 'react'
import type { RoomLayout } from './layout.ts'
import styles from './plan.module.css'

interface RoomShapeProps {
  room: RoomLayout
  isSelected: boolean
  /** The room that the Tab key focuses. Arrow keys move from there. */
  isTabStop: boolean
  onChoose(space: SpaceNode): void
}

/** The outline of a room. `usePaint` sets its colour. */
export const RoomShape = memo(function RoomShape(props: RoomShapeProps): ReactNode {
  const { room, isSelected, isTabStop, onChoose } = props
  return (
    <g
      role="option"
      className={styles.room}
      data-room={room.id}
      data-status={room.space.status}
      aria-selected={isSelected}
      aria-label={room.space.name}
      tabIndex={isTabStop ? 0 : -1}
      onClick={() => onChoose(room.space)}
    >
      <path className={styles.shape} d={room.path} />
    </g>
  )
})

/** The label of a room, above all outlines. `usePaint` sets its text. */
export const RoomLabel = memo(function RoomLabel({ room }: { room: RoomLayout }): ReactNode {
  return (
    <g data-label={room.id}>
      <text className={styles.name} x={room.labelArea.x} />
      <text className={styles.name} x={room.labelArea.x} />
      <text className={styles.value} x={room.labelArea.x} />
    </g>
  )
})
