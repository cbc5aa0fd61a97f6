/** In metres, in the coordinates of the storey. */
export type Corner = readonly [x: number, y: number]
export type Outline = readonly (readonly number[])[]

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

export const EMPTY_BOX: Box = { x: 0, y: 0, width: 1, height: 1 }

/** The bounding box of the outlines. */
export function boxOf(outlines: Iterable<Outline>): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const outline of outlines) {
    for (const [x = 0, y = 0] of outline) {
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y)
    }
  }
  if (left > right) return EMPTY_BOX
  return { x: left, y: top, width: Math.max(right - left, 0.1), height: Math.max(bottom - top, 0.1) }
}

/** Flips the y axis, because it points up in the model of a building and down in SVG. */
export const flip = (outline: Outline): Corner[] => outline.map(([x = 0, y = 0]) => [x, -y])

export function pathOf(outline: Outline): string {
  if (outline.length === 0) return ''
  return `M${outline.map(([x = 0, y = 0]) => `${round(x)} ${round(y)}`).join('L')}Z`
}

const round = (value: number) => Math.round(value * 1000) / 1000
