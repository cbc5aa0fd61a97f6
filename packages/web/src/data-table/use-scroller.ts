import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { scrollParent } from './scroll-parent.ts'

interface Scroller {
  scroller(): HTMLElement | null
  /** The distance between the start of the scroll area and the rows. */
  marginPx: number
}

/** A table scrolls in its own box. Cards scroll with the page, because a phone has no space for two scroll areas. */
export function useScroller(
  box: RefObject<HTMLElement | null>,
  rows: RefObject<HTMLElement | null>,
  isOfPage: boolean,
): Scroller {
  const [marginPx, setMarginPx] = useState(0)
  const scroller = useCallback(() => (isOfPage ? scrollParent(box.current) : box.current), [box, isOfPage])
  useLayoutEffect(() => {
    const [page, first] = [scroller(), rows.current]
    if (!isOfPage || !page || !first) {
      setMarginPx(0)
      return
    }
    const measure = () => {
      const distance = first.getBoundingClientRect().top - page.getBoundingClientRect().top + page.scrollTop
      setMarginPx(Math.round(distance))
    }
    measure()
    // The height of what is above the rows can change, for example when the filters open.
    const observer = new ResizeObserver(measure)
    for (const above of [page.firstElementChild, box.current?.previousElementSibling])
      if (above) observer.observe(above)
    return () => observer.disconnect()
  }, [scroller, rows, box, isOfPage])
  return { scroller, marginPx }
}
