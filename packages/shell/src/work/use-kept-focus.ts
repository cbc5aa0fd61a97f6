import { type RefObject, useEffect, useRef } from 'react'

/**
 * For whoever works by keyboard: a step takes away the button that was pressed, and its focus with it. The place around
 * it, which has a tabIndex, then has the focus, so that Tab goes on from there.
 */
export function useKeptFocus<Place extends HTMLElement>(isBusy: boolean): RefObject<Place | null> {
  const place = useRef<Place>(null)
  const wasBusy = useRef(false)
  useEffect(() => {
    const isOver = wasBusy.current && !isBusy
    wasBusy.current = isBusy
    if (!isOver) return
    const frame = requestAnimationFrame(() => {
      const now = document.activeElement
      if (!now || now === document.body || now.matches(':disabled')) place.current?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [isBusy])
  return place
}
