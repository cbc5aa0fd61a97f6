import type { SpaceNode } from '@storey/sdk'
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'
import type { RoomLayout, StoreyLayout } from './layout.ts'
import { describeRoom, letterRoom, paintRoom, partsOf, type RoomParts } from './paint.ts'

export interface Looks {
  colourOf?: ((space: SpaceNode) => string | undefined) | undefined
  textOf?: ((space: SpaceNode) => string | undefined) | undefined
  /** Everything that is said of a room. */
  describe(space: SpaceNode): string
  watch?: ((tell: (spaceIds: ReadonlySet<string>) => void) => () => void) | undefined
}

/** Words for those who do not see may come a moment after the picture. */
const WORDS_AFTER_MS = 100

/** Keeps the rooms in their colours and words, without drawing the plan anew. Gives what letters them anew. */
export function usePaint(
  drawing: RefObject<SVGSVGElement | null>,
  layout: StoreyLayout,
  scale: RefObject<number>,
  { colourOf, textOf, describe, watch }: Looks,
): () => void {
  const parts = useRef(new Map<string, RoomParts>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: another layout is another drawing
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
  const letter = useCallback(
    (room: RoomLayout) => {
      const found = parts.current.get(room.id)
      if (found) letterRoom(found, room, textOf?.(room.space), scale.current)
    },
    [scale, textOf],
  )
  const say = useCallback(
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
    // Only the last one is kept.
    performance.clearMeasures('plan-paint')
    performance.measure('plan-paint', { start, end: performance.now(), detail: layout.rooms.length })
  }, [layout, paint])

  // Text takes a browser longer than colour: a storey that is full of it gets it in the next picture.
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => layout.rooms.forEach(letter))
    return () => cancelAnimationFrame(frame)
  }, [layout, letter])

  useLayoutEffect(() => later(() => say(layout.rooms)), [layout, say])

  useLayoutEffect(() => {
    if (!watch) return
    const byId = new Map(layout.rooms.map((room) => [room.id, room]))
    const unsaid = new Set<RoomLayout>()
    let cancel: (() => void) | undefined
    const end = watch((spaceIds) => {
      for (const id of spaceIds) {
        const room = byId.get(id)
        if (!room) continue
        paint(room)
        letter(room)
        unsaid.add(room)
      }
      cancel ??= later(() => {
        cancel = undefined
        say(unsaid)
        unsaid.clear()
      })
    })
    return () => {
      cancel?.()
      end()
    }
  }, [watch, layout, paint, letter, say])

  return useCallback(() => layout.rooms.forEach(letter), [layout, letter])
}

function later(act: () => void): () => void {
  const timer = setTimeout(act, WORDS_AFTER_MS)
  return () => clearTimeout(timer)
}
