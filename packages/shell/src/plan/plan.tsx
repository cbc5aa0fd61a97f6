import type { SpaceNode } from '@storey/sdk'
import { useTexts } from '@storey/web'
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useRef } from 'react'
import { shellTexts } from '../app/texts.ts'
import type { Outline } from './geometry.ts'
import { layoutOf } from './layout.ts'
import { MarkPatterns, type PlanMark, RoomMark } from './marks.tsx'
import { type Direction, neighbour } from './neighbours.ts'
import styles from './plan.module.css'
import { RoomLabel, RoomShape } from './room-shape.tsx'
import { ScaleBar, type ScaleBarControl } from './scale-bar.tsx'
import { usePaint } from './use-paint.ts'
import { useView } from './use-view.ts'
import { ZoomButtons } from './zoom-buttons.tsx'

export interface PlanProps {
  /** The accessible name of the plan. */
  label: string
  spaces: readonly SpaceNode[]
  /** The outline of the storey. Without it, only the rooms are drawn. */
  outline?: Outline | null | undefined
  /** A CSS colour; undefined leaves the room uncoloured. */
  colourOf?: ((space: SpaceNode) => string | undefined) | undefined
  /** The value in the label of a room. */
  textOf?: ((space: SpaceNode) => string | undefined) | undefined
  /** The value with its meaning, for screen readers. */
  describe?: ((space: SpaceNode) => string | undefined) | undefined
  /** The marks of the highlighted rooms, by room id. */
  marks?: ReadonlyMap<string, PlanMark> | undefined
  selectedId?: string | undefined
  onSelect?: ((space: SpaceNode) => void) | undefined
  /** Subscribes to rooms whose colour or value changes. They are updated without rendering the plan. */
  watch?: ((listener: (spaceIds: ReadonlySet<string>) => void) => () => void) | undefined
  /** Leaves out the zoom buttons and the scale bar. */
  isSmall?: boolean
}

/** The height of the scale bar with its margin. */
const SCALE_BAR_PX = 40

const ARROWS: Record<string, Direction> = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' }

/** The plan of a storey. */
export function Plan(props: PlanProps): ReactNode {
  const { spaces, outline, colourOf, textOf, describe, marks, selectedId, onSelect, watch } = props
  const t = useTexts(shellTexts)
  const svg = useRef<SVGSVGElement>(null)
  const scale = useRef(1)
  const layout = useMemo(() => layoutOf(spaces, outline), [spaces, outline])

  const descriptionOf = useCallback(
    (space: SpaceNode) => {
      const parts = [space.name, space.code, describe ? describe(space) : textOf?.(space), marks?.get(space.id)?.label]
      return parts.filter((part) => part).join(', ')
    },
    [textOf, describe, marks],
  )
  const repaint = usePaint(svg, layout, scale, { colourOf, textOf, describe: descriptionOf, watch })
  const scaleBar = useRef<ScaleBarControl>(null)
  const onScale = (next: number) => {
    scale.current = next
    scaleBar.current?.show(next)
    repaint()
  }
  const view = useView(svg, layout.box, spaces[0]?.storeyId, onScale, props.isSmall ? 0 : SCALE_BAR_PX)

  const { wasDragged } = view
  const select = useCallback(
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
  // Shapes do not depend on colours, so a new colouring does not render two hundred rooms again.
  const shapes = useMemo(
    () =>
      layout.rooms.map((room) => (
        <RoomShape
          key={room.id}
          room={room}
          isSelected={room.id === selectedId}
          isTabStop={room.id === firstId}
          onChoose={select}
        />
      )),
    [layout, selectedId, firstId, select],
  )
  const labels = useMemo(() => layout.rooms.map((room) => <RoomLabel key={room.id} room={room} />), [layout])
  return (
    <div className={styles.plan}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
      <svg ref={svg} className={styles.drawing} role="group" aria-label={props.label} onKeyDown={onKeyDown}>
        {marks && <MarkPatterns />}
        <path className={styles.outline} d={layout.outlinePath} />
        <g role="listbox" aria-label={t('roomsOfPlan')}>
          {shapes}
        </g>
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing here is focusable, and the rooms have accessible names */}
        <g aria-hidden="true" className={styles.marks}>
          {labels}
          {marks && layout.rooms.map((room) => <RoomMark key={room.id} room={room} mark={marks.get(room.id)} />)}
          {selected && <path className={styles.selection} d={selected.path} />}
        </g>
      </svg>
      {!props.isSmall && <ScaleBar control={scaleBar} />}
      {!props.isSmall && <ZoomButtons view={view} />}
    </div>
  )
}
