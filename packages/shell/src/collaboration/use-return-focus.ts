import { focusPathOf, returnFocus } from '@storey/web'
import { type RefObject, useEffect, useRef } from 'react'

/**
 * For keyboard users: when an action removes or disables the button that had the focus, the focus moves to the nearest
 * container or its first control, so that Tab continues from there.
 */
export function useReturnFocus<Container extends HTMLElement>(isBusy: boolean): RefObject<Container | null> {
  const container = useRef<Container>(null)
  useEffect(() => {
    if (!isBusy) return
    const focused = focusPathOf(document.activeElement)
    const path = focused.length > 0 ? focused : focusPathOf(container.current)
    return () => {
      requestAnimationFrame(() => {
        const now = document.activeElement
        if (!now || now === document.body || now.matches(':disabled')) returnFocus(path)
      })
    }
  }, [isBusy])
  return container
}
