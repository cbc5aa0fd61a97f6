import type { SpaceNode } from '@storey/sdk'
import { memo, type ReactNode } from 'react'
import type { RoomLayout } from './layout.ts'
import styles from './plan.module.css'

interface RoomShapeProps {
  room: RoomLayout
  isSelected: boolean
  /** The one that the Tab key comes to; from there the arrow keys go on. */
  isReachable: boolean
  onChoose(space: SpaceNode): void
}

/** The outline of a room. Its colour is painted from outside. */
export const RoomShape = memo(function RoomShape(props: RoomShapeProps): ReactNode {
  const { room, isSelected, isReachable, onChoose } = props
  return (
    <g
      role="option"
      className={styles.room}
      data-room={room.id}
      data-status={room.space.status}
      aria-selected={isSelected}
      aria-label={room.space.name}
      tabIndex={isReachable ? 0 : -1}
      onClick={() => onChoose(room.space)}
    >
      <path className={styles.shape} d={room.path} />
    </g>
  )
})

/** The words in a room, over all outlines: they are written from outside, and said by the room itself. */
export const RoomWords = memo(function RoomWords({ room }: { room: RoomLayout }): ReactNode {
  return (
    <g data-words={room.id}>
      <text className={styles.name} x={room.place.x} />
      <text className={styles.value} x={room.place.x} />
    </g>
  )
})
