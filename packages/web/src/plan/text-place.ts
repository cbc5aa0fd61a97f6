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

/** A place for words: its middle, and how wide and high it is. */
export interface TextPlace {
  x: number
  y: number
  width: number
  height: number
}

/** So fine is the net in which a place for words is looked for. */
const NET = 12
/** A line of text is about so many times as wide as high. */
const LINE_SHAPE = 5

/**
 * The rectangle inside the room that has most room for a line of text. The centre of gravity of a bent corridor may lie
 * outside of it.
 */
export function textPlace(outline: Outline): TextPlace | undefined {
  const xs = netLines(outline.map(([x = 0]) => x))
  const ys = netLines(outline.map(([, y = 0]) => y))
  const inside = ys.slice(1).map((bottom, row) => {
    const y = (ys[row]! + bottom) / 2
    return xs.slice(1).map((right, column) => contains(outline, (xs[column]! + right) / 2, y))
  })
  let best: (TextPlace & { score: number; area: number }) | undefined
  for (let top = 0; top < inside.length; top++) {
    const open = inside[top]!.slice()
    for (let row = top; row < inside.length; row++) {
      // Columns that are inside all the way from the top to this row.
      for (const [column, isInside] of inside[row]!.entries()) open[column] &&= isInside
      for (const [from, to] of runs(open)) {
        const [left, right, upper, lower] = [xs[from]!, xs[to]!, ys[top]!, ys[row + 1]!]
        const [width, height] = [right - left, lower - upper]
        const score = Math.min(width, height * LINE_SHAPE)
        const area = width * height
        const isBetter = !best || score > best.score + 1e-6 || (score > best.score - 1e-6 && area > best.area)
        if (isBetter) best = { x: (left + right) / 2, y: (upper + lower) / 2, width, height, score, area }
      }
    }
  }
  if (!best) return undefined
  const { score: _, area: __, ...place } = best
  return place
}

/** The coordinates of the corners, and lines between them where they are far apart. */
function netLines(values: readonly number[]): number[] {
  const corners = [...new Set(values)].sort((a, b) => a - b)
  const every = Math.ceil(corners.length / (2 * NET))
  const kept = corners.filter((_, i) => i % every === 0 || i === corners.length - 1)
  const step = (corners.at(-1)! - corners[0]!) / NET
  return kept.flatMap((value, i) => {
    const parts = Math.max(1, Math.round(((kept[i + 1] ?? value) - value) / step || 1))
    return Array.from({ length: parts }, (_, n) => value + (((kept[i + 1] ?? value) - value) * n) / parts)
  })
}

/** Stretches of true, as [from, to). */
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
