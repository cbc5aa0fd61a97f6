import type { Box } from './geometry.ts'

export interface View {
  /** The centre, in metres. */
  x: number
  y: number
  /** Pixels per metre. */
  scale: number
}

const MARGIN = 0.95
const MAX_SCALE = 160

/** The view that shows the whole box with a margin. The lowest `below` pixels of the screen area stay free. */
export function fitView(box: Box, width: number, height: number, below = 0): View {
  const fitting = Math.min(width / box.width, (height - below) / box.height) * MARGIN
  const scale = fitting > 0 ? fitting : 1
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 + below / 2 / scale, scale }
}

/** Zooms around a position on the screen, which stays fixed. `at` is its distance from the centre, in pixels. */
export function zoomView(view: View, factor: number, at: { dx: number; dy: number }, minScale: number): View {
  const scale = Math.min(Math.max(view.scale * factor, minScale), Math.max(MAX_SCALE, minScale))
  const [x, y] = [view.x + at.dx / view.scale, view.y + at.dy / view.scale]
  return { x: x - at.dx / scale, y: y - at.dy / scale, scale }
}

export const moveView = (view: View, dx: number, dy: number): View => ({
  ...view,
  x: view.x - dx / view.scale,
  y: view.y - dy / view.scale,
})

/** Limits the centre to the box. */
export const clampView = (view: View, box: Box): View => ({
  ...view,
  x: Math.min(Math.max(view.x, box.x), box.x + box.width),
  y: Math.min(Math.max(view.y, box.y), box.y + box.height),
})

/** Moves the view as little as needed to show a position. */
export function revealIn(view: View, x: number, y: number, width: number, height: number): View {
  const halfWidth = (width / view.scale) * 0.42
  const halfHeight = (height / view.scale) * 0.42
  return {
    ...view,
    x: Math.min(Math.max(view.x, x - halfWidth), x + halfWidth),
    y: Math.min(Math.max(view.y, y - halfHeight), y + halfHeight),
  }
}

export const viewBoxOf = (view: View, width: number, height: number): string => {
  const [w, h] = [width / view.scale, height / view.scale]
  return [view.x - w / 2, view.y - h / 2, w, h].map((n) => n.toFixed(4)).join(' ')
}
