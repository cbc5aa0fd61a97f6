import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { Box } from './geometry.ts'
import { clampView, fitView, moveView, revealIn, type View, viewBoxOf, zoomView } from './view.ts'

export interface ViewControl {
  /** Zooms around the centre, or around a position on the plan. */
  zoom(factor: number, around?: { x: number; y: number }): void
  fit(): void
  reveal(x: number, y: number): void
  /** True after the plan was dragged, until the next press: the click that ends a drag must not select a room. */
  wasDragged(): boolean
}

const DRAG_PX = 4

/** Moves and zooms a plan by pointer, wheel and touch, without rendering the component again. */
export function useView(
  svg: RefObject<SVGSVGElement | null>,
  box: Box,
  storeyId: string | undefined,
  onScale: (pixelsPerMetre: number) => void,
  /** Pixels at the bottom that stay free when the whole plan is shown. */
  below: number,
): ViewControl {
  const state = useRef<{ view: View | undefined; width: number; height: number; isFitted: boolean; dragged: boolean }>({
    view: undefined,
    width: 0,
    height: 0,
    isFitted: true,
    dragged: false,
  })
  const latest = useRef({ box, onScale, below })
  latest.current = { box, onScale, below }

  const show = useCallback(
    (next: View, isFitted = false) => {
      const now = state.current
      const isScaled = next.scale !== now.view?.scale
      now.view = isFitted ? next : clampView(next, latest.current.box)
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
    if (width > 0) show(fitView(latest.current.box, width, height, latest.current.below), true)
  }, [show])
  const zoomAt = useCallback(
    (factor: number, at = { dx: 0, dy: 0 }) => {
      const { view, width, height } = state.current
      if (!view) return
      const minScale = fitView(latest.current.box, width, height, latest.current.below).scale
      const next = zoomView(view, factor, at, minScale)
      if (next.scale <= minScale) fit()
      else show(next)
    },
    [show, fit],
  )

  const shownStorey = useRef(storeyId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: fits again when the box changes
  useEffect(() => {
    const isOtherStorey = shownStorey.current !== storeyId
    shownStorey.current = storeyId
    // Another storey is shown as a whole. If the same storey has another box, a view that the user has chosen stays.
    if (isOtherStorey || state.current.isFitted || !state.current.view) fit()
  }, [fit, box, storeyId])

  useEffect(() => {
    const element = svg.current
    if (!element) return
    const abort = new AbortController()
    const { signal } = abort
    const resizeObserver = new ResizeObserver(([entry]) => {
      const now = state.current
      now.width = entry!.contentRect.width
      now.height = entry!.contentRect.height
      if (now.isFitted || !now.view) fit()
      else show({ ...now.view })
    })
    resizeObserver.observe(element)

    const pointers = new Map<number, { x: number; y: number }>()
    const fromCentre = (x: number, y: number) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      return { dx: x - left - width / 2, dy: y - top - height / 2 }
    }
    const on = <K extends keyof SVGElementEventMap>(
      kind: K,
      listener: (event: SVGElementEventMap[K]) => void,
      options = {},
    ) => element.addEventListener(kind, listener as EventListener, { signal, ...options })

    on(
      'wheel',
      (event) => {
        event.preventDefault()
        zoomAt(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), fromCentre(event.clientX, event.clientY))
      },
      { passive: false },
    )
    on('pointerdown', (event) => {
      if (pointers.size === 0) state.current.dragged = false
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY })
    })
    on('pointermove', (event) => {
      const before = pointers.get(event.pointerId)
      const { view } = state.current
      if (!before || !view) return
      const [dx, dy] = [event.clientX - before.x, event.clientY - before.y]
      if (!state.current.dragged && Math.hypot(dx, dy) < DRAG_PX) return
      state.current.dragged = true
      if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId)
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY })
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1]
      if (!other) return show(moveView(view, dx, dy))
      const oldDistance = Math.hypot(before.x - other.x, before.y - other.y)
      const distance = Math.hypot(event.clientX - other.x, event.clientY - other.y)
      zoomAt(
        distance / Math.max(oldDistance, 1),
        fromCentre((event.clientX + other.x) / 2, (event.clientY + other.y) / 2),
      )
    })
    const release = (event: PointerEvent) => void pointers.delete(event.pointerId)
    on('pointerup', release)
    on('pointercancel', release)
    on('pointerleave', release)
    return () => {
      abort.abort()
      resizeObserver.disconnect()
    }
  }, [svg, show, fit, zoomAt])

  const reveal = useCallback(
    (x: number, y: number) => {
      const { view, width, height, isFitted } = state.current
      if (view && !isFitted) show(revealIn(view, x, y, width, height))
    },
    [show],
  )
  const wasDragged = useCallback(() => state.current.dragged, [])
  const zoom = useCallback(
    (factor: number, around?: { x: number; y: number }) => {
      const { view } = state.current
      if (view && around) zoomAt(factor, { dx: (around.x - view.x) * view.scale, dy: (around.y - view.y) * view.scale })
      else zoomAt(factor)
    },
    [zoomAt],
  )
  return { zoom, fit, reveal, wasDragged }
}
