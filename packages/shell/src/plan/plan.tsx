import type { SpaceNode } from '@storey/sdk'
import { useWords } from '@storey/web'
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useRef } from 'react'
import { shellWords } from '../app/words.ts'
import type { Outline } from './geometry.ts'
import { layoutOf } from './layout.ts'
import { MarkPatterns, type PlanMark, RoomMark } from './marks.tsx'
import { type Direction, neighbour } from './neighbours.ts'
import styles from './plan.module.css'
import { RoomShape, RoomWords } from './room-shape.tsx'
import { usePaint } from './use-paint.ts'
import { useView } from './use-view.ts'
import { ZoomButtons } from './zoom-buttons.tsx'

export interface PlanProps {
  /** What the plan shows, for those who do not see it. */
  label: string
  spaces: readonly SpaceNode[]
  /** The storey's own outline. */
  outline?: Outline | null | undefined
  /** A colour of CSS; undefined leaves the room plain. */
  colourOf?: ((space: SpaceNode) => string | undefined) | undefined
  /** The value in the room. */
  textOf?: ((space: SpaceNode) => string | undefined) | undefined
  /** More than the value, for those who do not see the colour. */
  describe?: ((space: SpaceNode) => string | undefined) | undefined
  /** Rooms that stand out, by pattern and word. */
  marks?: ReadonlyMap<string, PlanMark> | undefined
  selectedId?: string | undefined
  onSelect?: ((space: SpaceNode) => void) | undefined
  /** Tells of rooms whose colour or value changed: they are painted without drawing the plan anew. */
  watch?: ((tell: (spaceIds: ReadonlySet<string>) => void) => () => void) | undefined
  /** Without its buttons, for a small one. */
  isSmall?: boolean
}

const ARROWS: Record<string, Direction> = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' }

/** A storey from above. Others colour it by `colourOf` and mark rooms by `marks`. */
export function Plan(props: PlanProps): ReactNode {
  const { spaces, outline, colourOf, textOf, describe, marks, selectedId, onSelect, watch } = props
  const t = useWords(shellWords)
  const svg = useRef<SVGSVGElement>(null)
  const scale = useRef(1)
  const layout = useMemo(() => layoutOf(spaces, outline), [spaces, outline])

  const sayOf = useCallback(
    (space: SpaceNode) => {
      const said = [space.name, space.code, describe ? describe(space) : textOf?.(space), marks?.get(space.id)?.label]
      return said.filter((part) => part).join(', ')
    },
    [textOf, describe, marks],
  )
  const repaint = usePaint(svg, layout, scale, { colourOf, textOf, describe: sayOf, watch })
  const view = useView(svg, layout.box, spaces[0]?.storeyId, (next) => {
    scale.current = next
    repaint()
  })

  const { wasDragged } = view
  const choose = useCallback(
    (space: SpaceNode) => {
      if (!wasDragged()) onSelect?.(space)
    },
    [onSelect, wasDragged],
  )
  const onKeyDown = (event: KeyboardEvent<SVGSVGElement>) => {
    const id = (event.target as Element).closest<SVGGElement>('[data-room]')?.dataset.room
    const room = layout.rooms.find((one) => one.id === id)
    const direction = ARROWS[event.key]
    if (room && direction) {
      const next = neighbour(layout.rooms, room, direction)
      if (next) {
        svg.current?.querySelector<SVGGElement>(`[data-room="${next.id}"]`)?.focus()
        view.reveal(next.x, next.y)
      }
    } else if (room && (event.key === 'Enter' || event.key === ' ')) onSelect?.(room.space)
    else if (event.key === '+' || event.key === '=') view.zoom(1.4, room)
    else if (event.key === '-') view.zoom(1 / 1.4, room)
    else if (event.key === '0') view.fit()
    else return
    event.preventDefault()
  }

  const firstId = layout.rooms.some(({ id }) => id === selectedId) ? selectedId : layout.rooms[0]?.id
  const selected = layout.rooms.find(({ id }) => id === selectedId)
  // Another colour is no other shape: React need not look at two hundred rooms for it.
  const shapes = useMemo(
    () =>
      layout.rooms.map((room) => (
        <RoomShape
          key={room.id}
          room={room}
          isSelected={room.id === selectedId}
          isReachable={room.id === firstId}
          onChoose={choose}
        />
      )),
    [layout, selectedId, firstId, choose],
  )
  const words = useMemo(() => layout.rooms.map((room) => <RoomWords key={room.id} room={room} />), [layout])
  return (
    <div className={styles.plan}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no form */}
      <svg ref={svg} className={styles.drawing} role="group" aria-label={props.label} onKeyDown={onKeyDown}>
        {marks && <MarkPatterns />}
        <path className={styles.outline} d={layout.outlinePath} />
        <g role="listbox" aria-label={t('roomsOfPlan')}>
          {shapes}
        </g>
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing here takes the focus, and the rooms say it in words */}
        <g aria-hidden="true" className={styles.marks}>
          {words}
          {marks && layout.rooms.map((room) => <RoomMark key={room.id} room={room} mark={marks.get(room.id)} />)}
          {selected && <path className={styles.selection} d={selected.path} />}
        </g>
      </svg>
      {!props.isSmall && <ZoomButtons view={view} />}
    </div>
  )
}
