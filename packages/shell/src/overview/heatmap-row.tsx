import type { SpaceNode } from '@storey/sdk'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Colouring } from '../colouring/colouring.ts'
import styles from './overview.module.css'
import type { Cell } from './row-layout.ts'

interface HeatmapRowProps {
  cells: readonly Cell[]
  colouring: Colouring | undefined
  /** Counts up when values change, so that the row is drawn again. */
  changes: number
  theme: string
  onHover(space: SpaceNode | undefined): void
}

/** The rooms of a storey as coloured cells. A canvas draws ten thousand of them within a frame. */
export function HeatmapRow({ cells, colouring, changes, theme, onHover }: HeatmapRowProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(canvas)
  // biome-ignore lint/correctness/useExhaustiveDependencies: draws again when values or the theme change
  useLayoutEffect(() => {
    if (canvas.current && size.width > 0) draw(canvas.current, size, cells, colouring)
  }, [size, cells, colouring, changes, theme])
  const roomAt = (x: number) => {
    const { left, width: shown } = canvas.current!.getBoundingClientRect()
    const share = (x - left) / shown
    return cells.find(({ from, to }) => from <= share && share < to)?.space
  }
  return (
    <canvas
      ref={canvas}
      className={styles.heat}
      onPointerMove={({ clientX }) => onHover(roomAt(clientX))}
      onPointerLeave={() => onHover(undefined)}
    />
  )
}

interface Size {
  width: number
  height: number
}

/** A cell that is wider than this, in CSS pixels, has a gap after it. */
const MIN_WIDTH_WITH_GAP = 3

function draw(
  canvas: HTMLCanvasElement,
  { width, height }: Size,
  cells: readonly Cell[],
  colouring: Colouring | undefined,
): void {
  const ratio = devicePixelRatio || 1
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  const context = canvas.getContext('2d')
  if (!context) return
  // A room without a value has the colour that the style sheet gives the canvas.
  const { color: plain } = getComputedStyle(canvas)
  for (const { space, from, to } of cells) {
    const [left, right] = [Math.round(from * canvas.width), Math.round(to * canvas.width)]
    const gap = right - left > MIN_WIDTH_WITH_GAP * ratio ? Math.round(ratio) : 0
    context.fillStyle = colouring?.shadeOf(space)?.color ?? plain
    context.fillRect(left, 0, Math.max(right - left - gap, 1), canvas.height)
  }
}

function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }))
    })
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [element])
  return size
}
