import { type RefObject, useLayoutEffect } from 'react'
import { scrollParent } from './scroll-parent.ts'

const MIN_PX = 360
/** The footer below the box and the padding of the page. */
const BELOW_PX = 64

/** Ends the scrolling box of a table at the bottom of the screen, so that the page around it need not scroll too. */
export function useBoxHeight(box: RefObject<HTMLElement | null>, isLimited: boolean): void {
  useLayoutEffect(() => {
    const element = box.current
    if (!isLimited || !element) return
    const page = scrollParent(element)
    const fit = () => {
      const top = element.getBoundingClientRect().top + page.scrollTop
      element.style.maxHeight = `${Math.max(MIN_PX, innerHeight - top - BELOW_PX)}px`
    }
    fit()
    const observer = new ResizeObserver(fit)
    if (element.previousElementSibling) observer.observe(element.previousElementSibling)
    addEventListener('resize', fit)
    return () => {
      observer.disconnect()
      removeEventListener('resize', fit)
      element.style.maxHeight = ''
    }
  }, [box, isLimited])
}
