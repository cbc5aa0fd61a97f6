import { placeOf, returnFocus } from '@storey/web'
import { type RefObject, useEffect, useRef } from 'react'

/**
 * For whoever works by keyboard: a step takes away the button that was pressed, and its focus with it. What is around it
 * then has the focus, also where the step takes all of this away, so that Tab goes on from there.
 */
export function useKeptFocus<Around extends HTMLElement>(isBusy: boolean): RefObject<Around | null> {
  const around = useRef<Around>(null)
  useEffect(() => {
    if (!isBusy) return
    const pressed = placeOf(document.activeElement)
    const place = pressed.length > 0 ? pressed : placeOf(around.current)
    return () => {
      requestAnimationFrame(() => {
        const now = document.activeElement
        if (!now || now === document.body || now.matches(':disabled')) returnFocus(place)
      })
    }
  }, [isBusy])
  return around
}
