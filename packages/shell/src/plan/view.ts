import type { Box } from './geometry.ts'

export interface View {
  /** The middle of what is seen, in metres. */
  x: number
  y: number
  /** Pixels per metre. */
  scale: number
}

const MARGIN = 0.95
const CLOSEST = 160

/** All of the box, with a margin. */
export function fitted(box: Box, width: number, height: number): View {
  const scale = Math.min(width / box.width, height / box.height) * MARGIN
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, scale: scale > 0 ? scale : 1 }
}

/** Nearer by a factor, about a place on the screen that stays where it is; never farther than all of the box. */
export function zoomed(view: View, factor: number, at: { dx: number; dy: number }, least: number): View {
  const scale = Math.min(Math.max(view.scale * factor, least), Math.max(CLOSEST, least))
  const [x, y] = [view.x + at.dx / view.scale, view.y + at.dy / view.scale]
  return { x: x - at.dx / scale, y: y - at.dy / scale, scale }
}

export const moved = (view: View, dx: number, dy: number): View => ({
  ...view,
  x: view.x - dx / view.scale,
  y: view.y - dy / view.scale,
})

/** The middle stays over the building. */
export const kept = (view: View, box: Box): View => ({
  ...view,
  x: Math.min(Math.max(view.x, box.x), box.x + box.width),
  y: Math.min(Math.max(view.y, box.y), box.y + box.height),
})

/** Moved as little as it takes to see this place. */
export function revealing(view: View, x: number, y: number, width: number, height: number): View {
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
