import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { Box } from './geometry.ts'
import { fitted, kept, moved, revealing, type View, viewBoxOf, zoomed } from './view.ts'

export interface ViewControl {
  /** About the middle, or about a place on the plan. */
  zoom(factor: number, about?: { x: number; y: number }): void
  fit(): void
  reveal(x: number, y: number): void
  /** True right after the plan was dragged: the click that follows chooses nothing. */
  wasDragged(): boolean
}

const DRAG_PX = 4

/** Lets a plan be moved and zoomed by pointer, wheel and two fingers, without drawing anything anew. */
export function useView(
  svg: RefObject<SVGSVGElement | null>,
  box: Box,
  /** Which storey it is. */
  placeId: string | undefined,
  onScale: (pixelsPerMetre: number) => void,
): ViewControl {
  const state = useRef<{ view: View | undefined; width: number; height: number; isFitted: boolean; dragged: boolean }>({
    view: undefined,
    width: 0,
    height: 0,
    isFitted: true,
    dragged: false,
  })
  const latest = useRef({ box, onScale })
  latest.current = { box, onScale }

  const show = useCallback(
    (next: View, isFitted = false) => {
      const now = state.current
      const isScaled = next.scale !== now.view?.scale
      now.view = isFitted ? next : kept(next, latest.current.box)
      now.isFitted = isFitted
      svg.current?.setAttribute('viewBox', viewBoxOf(now.view, now.width, now.height))
      if (!isScaled) return
      svg.current?.style.setProperty('--px', String(1 / next.scale))
      latest.current.onScale(next.scale)
    },
    [svg],
  )
  const fit = useCallback(() => {
    const { width, height } = state.current
    if (width > 0) show(fitted(latest.current.box, width, height), true)
  }, [show])
  const zoomAt = useCallback(
    (factor: number, at = { dx: 0, dy: 0 }) => {
      const { view, width, height } = state.current
      if (!view) return
      const least = fitted(latest.current.box, width, height).scale
      const next = zoomed(view, factor, at, least)
      if (next.scale <= least) fit()
      else show(next)
    },
    [show, fit],
  )

  const shownPlace = useRef(placeId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another box is another drawing
  useEffect(() => {
    const isAnother = shownPlace.current !== placeId
    shownPlace.current = placeId
    // Another storey is seen whole at first; one that was changed is seen as it was.
    if (isAnother || state.current.isFitted || !state.current.view) fit()
  }, [fit, box, placeId])

  useEffect(() => {
    const element = svg.current
    if (!element) return
    const ending = new AbortController()
    const { signal } = ending
    const resized = new ResizeObserver(([entry]) => {
      const now = state.current
      now.width = entry!.contentRect.width
      now.height = entry!.contentRect.height
      if (now.isFitted || !now.view) fit()
      else show({ ...now.view })
    })
    resized.observe(element)

    const fingers = new Map<number, { x: number; y: number }>()
    const fromMiddle = (x: number, y: number) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      return { dx: x - left - width / 2, dy: y - top - height / 2 }
    }
    const on = <K extends keyof SVGElementEventMap>(
      kind: K,
      act: (event: SVGElementEventMap[K]) => void,
      options = {},
    ) => element.addEventListener(kind, act as EventListener, { signal, ...options })

    on(
      'wheel',
      (event) => {
        event.preventDefault()
        zoomAt(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), fromMiddle(event.clientX, event.clientY))
      },
      { passive: false },
    )
    on('pointerdown', (event) => {
      if (fingers.size === 0) state.current.dragged = false
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
    })
    on('pointermove', (event) => {
      const before = fingers.get(event.pointerId)
      const { view } = state.current
      if (!before || !view) return
      const [dx, dy] = [event.clientX - before.x, event.clientY - before.y]
      if (!state.current.dragged && Math.hypot(dx, dy) < DRAG_PX) return
      state.current.dragged = true
      if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId)
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1]
      if (!other) return show(moved(view, dx, dy))
      const was = Math.hypot(before.x - other.x, before.y - other.y)
      const is = Math.hypot(event.clientX - other.x, event.clientY - other.y)
      zoomAt(is / Math.max(was, 1), fromMiddle((event.clientX + other.x) / 2, (event.clientY + other.y) / 2))
    })
    const lift = (event: PointerEvent) => void fingers.delete(event.pointerId)
    on('pointerup', lift)
    on('pointercancel', lift)
    on('pointerleave', lift)
    return () => {
      ending.abort()
      resized.disconnect()
    }
  }, [svg, show, fit, zoomAt])

  const reveal = useCallback(
    (x: number, y: number) => {
      const { view, width, height, isFitted } = state.current
      if (view && !isFitted) show(revealing(view, x, y, width, height))
    },
    [show],
  )
  const wasDragged = useCallback(() => state.current.dragged, [])
  const zoom = useCallback(
    (factor: number, about?: { x: number; y: number }) => {
      const { view } = state.current
      if (view && about) zoomAt(factor, { dx: (about.x - view.x) * view.scale, dy: (about.y - view.y) * view.scale })
      else zoomAt(factor)
    },
    [zoomAt],
  )
  return { zoom, fit, reveal, wasDragged }
}
