import { type RefObject, useLayoutEffect } from 'react'

const GAP = 4
const MARGIN = 8
const [MIN_HEIGHT, MAX_HEIGHT] = [120, 360]

interface PopupOptions {
  isOpen: boolean
  /** The edge of the anchor at which the popup is aligned. */
  align?: 'start' | 'end'
  /** The popup is at least as wide as the anchor. */
  fitsAnchor?: boolean
}

/**
 * Shows an element with `popover="manual"` below its anchor, or above the anchor if there is too little space below and
 * more space above. The element is in the top layer, where no panel or dialog clips it.
 */
export function usePopup(
  anchor: RefObject<HTMLElement | null>,
  popup: RefObject<HTMLElement | null>,
  { isOpen, align = 'start', fitsAnchor = false }: PopupOptions,
): void {
  useLayoutEffect(() => {
    const [from, element] = [anchor.current, popup.current]
    if (!isOpen || !from || !element) return
    element.showPopover()
    const place = () => {
      const { left, right, top, bottom, width } = from.getBoundingClientRect()
      const [above, below] = [top - GAP - MARGIN, innerHeight - bottom - GAP - MARGIN]
      if (fitsAnchor) element.style.minWidth = `${width}px`
      element.style.maxHeight = `${MAX_HEIGHT}px`
      const isAbove = element.offsetHeight > below && above > below
      element.style.maxHeight = `${Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, isAbove ? above : below))}px`
      element.style.top = `${isAbove ? top - GAP - element.offsetHeight : bottom + GAP}px`
      const x = align === 'start' ? left : right - element.offsetWidth
      element.style.left = `${Math.max(MARGIN, Math.min(x, innerWidth - element.offsetWidth - MARGIN))}px`
    }
    place()
    const observer = new ResizeObserver(place)
    observer.observe(element)
    addEventListener('resize', place)
    addEventListener('scroll', place, { capture: true, passive: true })
    return () => {
      observer.disconnect()
      removeEventListener('resize', place)
      removeEventListener('scroll', place, { capture: true })
      element.hidePopover()
    }
  }, [anchor, popup, isOpen, align, fitsAnchor])
}
