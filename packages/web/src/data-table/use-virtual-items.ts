import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core'
import { useEffect, useLayoutEffect, useReducer, useState } from 'react'

/** The height of the scroll area that is assumed before the first layout. */
const FIRST_HEIGHT_PX = 800

interface VirtualOptions {
  count: number
  /** The height of an item that has not been measured. */
  estimatePx: number
  overscan?: number
  keyOf(index: number): string
  /** The scroll area; null while all items are rendered. */
  scroller(): HTMLElement | null
  /** The distance between the start of the scroll area and the first item. */
  marginPx?: number
  /** The index of the focused item, or of the active option of a list: it stays rendered outside the visible range. */
  kept?: number | undefined
}

export interface VirtualItems {
  items: readonly VirtualItem[]
  totalPx: number
  /** The ref callback for the element of each item. The element must have the item's index in `data-index`. */
  measure(element: HTMLElement | null): void
  scrollTo(index: number): void
}

/** Renders only the items of a long list that are visible. */
export function useVirtualItems(options: VirtualOptions): VirtualItems {
  const { count, estimatePx, overscan = 8, keyOf, scroller, marginPx = 0, kept } = options
  const [, render] = useReducer((n: number) => n + 1, 0)
  const settings = {
    count,
    overscan,
    scrollMargin: marginPx,
    estimateSize: () => estimatePx,
    getItemKey: keyOf,
    getScrollElement: scroller,
    initialRect: { width: 0, height: FIRST_HEIGHT_PX },
    rangeExtractor(range: Parameters<typeof defaultRangeExtractor>[0]) {
      const indexes = defaultRangeExtractor(range)
      if (kept === undefined || kept >= count || indexes.includes(kept)) return indexes
      return [...indexes, kept].sort((a, b) => a - b)
    },
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: render,
  }
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(settings))
  virtualizer.setOptions(settings)
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => virtualizer._willUpdate())
  // React sets the ref of a scroll area around this component after the first layout effect. Without this second
  // effect the virtualizer would start at the next render, and return to the top if the user has scrolled meanwhile.
  useEffect(() => virtualizer._willUpdate(), [virtualizer])
  return {
    items: virtualizer.getVirtualItems(),
    totalPx: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  }
}
