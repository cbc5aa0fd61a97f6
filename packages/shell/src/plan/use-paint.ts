import type { SpaceNode } from '@storey/sdk'
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'
import type { RoomLayout, StoreyLayout } from './layout.ts'
import { describeRoom, drawLabel, paintRoom, partsOf, type RoomParts } from './paint.ts'

export interface PaintOptions {
  colourOf?: ((space: SpaceNode) => string | undefined) | undefined
  textOf?: ((space: SpaceNode) => string | undefined) | undefined
  /** The accessible name of a room. */
  describe(space: SpaceNode): string
  watch?: ((listener: (spaceIds: ReadonlySet<string>) => void) => () => void) | undefined
}

/** Accessible names are updated this long after the visible changes. */
const DESCRIBE_DELAY_MS = 100

/** Updates colours and labels of the rooms without rendering the plan. Returns a function that redraws the labels. */
export function usePaint(
  drawing: RefObject<SVGSVGElement | null>,
  layout: StoreyLayout,
  scale: RefObject<number>,
  { colourOf, textOf, describe, watch }: PaintOptions,
): () => void {
  const parts = useRef(new Map<string, RoomParts>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new layout renders new elements
  useLayoutEffect(() => {
    parts.current = partsOf(drawing.current!)
  }, [drawing, layout])
  const paint = useCallback(
    (room: RoomLayout) => {
      const found = parts.current.get(room.id)
      if (!found) return
      paintRoom(found, colourOf?.(room.space))
    },
    [colourOf],
  )
  const updateLabel = useCallback(
    (room: RoomLayout) => {
      const found = parts.current.get(room.id)
      if (found) drawLabel(found, room, textOf?.(room.space), scale.current)
    },
    [scale, textOf],
  )
  const describeRooms = useCallback(
    (rooms: Iterable<RoomLayout>) => {
      for (const room of rooms) {
        const found = parts.current.get(room.id)
        if (found) describeRoom(found, describe(room.space))
      }
    },
    [describe],
  )

  useLayoutEffect(() => {
    const start = performance.now()
    for (const room of layout.rooms) paint(room)
    // Of the performance measures with this name, only the latest is kept.
    performance.clearMeasures('plan-paint')
    performance.measure('plan-paint', { start, end: performance.now(), detail: layout.rooms.length })
  }, [layout, paint])

  // Drawing text takes longer than changing colours, so the labels are drawn in the next frame.
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => layout.rooms.forEach(updateLabel))
    return () => cancelAnimationFrame(frame)
  }, [layout, updateLabel])

  useLayoutEffect(() => later(() => describeRooms(layout.rooms)), [layout, describeRooms])

  useLayoutEffect(() => {
    if (!watch) return
    const byId = new Map(layout.rooms.map((room) => [room.id, room]))
    const changed = new Set<RoomLayout>()
    let cancel: (() => void) | undefined
    const end = watch((spaceIds) => {
      for (const id of spaceIds) {
        const room = byId.get(id)
        if (!room) continue
        paint(room)
        updateLabel(room)
        changed.add(room)
      }
      cancel ??= later(() => {
        cancel = undefined
        describeRooms(changed)
        changed.clear()
      })
    })
    return () => {
      cancel?.()
      end()
    }
  }, [watch, layout, paint, updateLabel, describeRooms])

  return useCallback(() => layout.rooms.forEach(updateLabel), [layout, updateLabel])
}

function later(callback: () => void): () => void {
  const timer = setTimeout(callback, DESCRIBE_DELAY_MS)
  return () => clearTimeout(timer)
}
