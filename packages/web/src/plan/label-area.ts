/** Corners in metres. */
export type Outline = readonly (readonly number[])[]

export function contains(outline: Outline, x: number, y: number): boolean {
  let inside = false
  for (let i = 0, j = outline.length - 1; i < outline.length; j = i++) {
    const yi = outline[i]![1]!
    const yj = outline[j]![1]!
    const xi = outline[i]![0]!
    const xj = outline[j]![0]!
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside
  }
  return inside
}

/** A rectangle for a label: its centre and its size, in metres. */
export interface LabelArea {
  x: number
  y: number
  width: number
  height: number
}

/** The grid of the search has about this many cells per side, and more if the outline has many corners. */
const GRID = 12
/** The typical width of a label divided by its height. */
const LABEL_RATIO = 5

/**
 * Returns the rectangle that has space for the largest label. A rectangle consists of grid cells whose centres are in
 * the room. The centroid of the room is not used, because it can be outside the room, for example if the room is an
 * L-shaped corridor.
 */
export function labelArea(outline: Outline): LabelArea | undefined {
  const xs = gridLines(outline.map(([x = 0]) => x))
  const ys = gridLines(outline.map(([, y = 0]) => y))
  const inside = ys.slice(1).map((bottom, row) => {
    const y = (ys[row]! + bottom) / 2
    return xs.slice(1).map((right, column) => contains(outline, (xs[column]! + right) / 2, y))
  })
  let best: (LabelArea & { score: number; area: number }) | undefined
  for (let top = 0; top < inside.length; top++) {
    const open = inside[top]!.slice()
    for (let row = top; row < inside.length; row++) {
      // Columns that are inside the room from the top row to this row.
      for (const [column, isInside] of inside[row]!.entries()) open[column] &&= isInside
      for (const [from, to] of runs(open)) {
        const [left, right, upper, lower] = [xs[from]!, xs[to]!, ys[top]!, ys[row + 1]!]
        const [width, height] = [right - left, lower - upper]
        const score = Math.min(width, height * LABEL_RATIO)
        const area = width * height
        const isBetter = !best || score > best.score + 1e-6 || (score > best.score - 1e-6 && area > best.area)
        if (isBetter) best = { x: (left + right) / 2, y: (upper + lower) / 2, width, height, score, area }
      }
    }
  }
  if (!best) return undefined
  const { score: _, area: __, ...rectangle } = best
  return rectangle
}

/** The coordinates of the corners (only of some, if there are many), with extra lines between distant corners. */
function gridLines(values: readonly number[]): number[] {
  const corners = [...new Set(values)].sort((a, b) => a - b)
  const every = Math.ceil(corners.length / (2 * GRID))
  const used = corners.filter((_, i) => i % every === 0 || i === corners.length - 1)
  const step = (corners.at(-1)! - corners[0]!) / GRID
  return used.flatMap((value, i) => {
    const parts = Math.max(1, Math.round(((used[i + 1] ?? value) - value) / step || 1))
    return Array.from({ length: parts }, (_, n) => value + (((used[i + 1] ?? value) - value) * n) / parts)
  })
}

/** Ranges of consecutive true values, as [from, to). */
function runs(open: readonly boolean[]): [number, number][] {
  const found: [number, number][] = []
  for (let from = 0; from < open.length; from++) {
    if (!open[from]) continue
    let to = from
    while (open[to]) to++
    found.push([from, to])
    from = to
  }
  return found
}
