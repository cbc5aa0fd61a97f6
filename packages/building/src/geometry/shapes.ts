/** A corner. All geometry is in whole millimetres, so that rooms share exact corners and tile a storey without gaps. */
export type Corner = [number, number]

export interface Rect {
  x0: number
  y0: number
  x1: number
  y1: number
}

export const rectOutline = ({ x0, y0, x1, y1 }: Rect): Corner[] => [
  [x0, y0],
  [x1, y0],
  [x1, y1],
  [x0, y1],
]

export const rectSqm = ({ x0, y0, x1, y1 }: Rect): number => ((x1 - x0) * (y1 - y0)) / 1e6

/** Area by the shoelace formula. It is exact, since every product is an integer below 2^53. */
export function outlineSqm(outline: readonly Corner[]): number {
  let twice = 0
  for (let i = 0; i < outline.length; i++) {
    const [ax, ay] = outline[i]!
    const [bx, by] = outline[(i + 1) % outline.length]!
    twice += ax * by - bx * ay
  }
  return twice / 2e6
}

/**
 * Cuts a length into parts in the ratio of the weights. Cuts are on the grid if the parts are wide enough for the grid,
 * else on whole millimetres. No part is empty.
 */
export function cut(from: number, to: number, weights: readonly number[], gridMm: number): number[] {
  const length = to - from
  const unit = length >= weights.length * gridMm * 4 ? gridMm : 1
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const cuts = [from]
  let before = 0
  for (const weight of weights) {
    before += weight
    cuts.push(from + Math.round((length * before) / total / unit) * unit)
  }
  cuts[weights.length] = to
  for (let i = 1; i < weights.length; i++) cuts[i] = Math.max(cuts[i]!, cuts[i - 1]! + unit)
  for (let i = weights.length - 1; i > 0; i--) cuts[i] = Math.min(cuts[i]!, cuts[i + 1]! - unit)
  return cuts
}
