import type { Polygon, Space } from '../building.ts'

type Line = { at: number; from: number; to: number }

const mm = (metres: number) => Math.round(metres * 1000)

function edges(polygon: Polygon): { horizontal: Line[]; vertical: Line[] } {
  const horizontal: Line[] = []
  const vertical: Line[] = []
  polygon.forEach(([ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length]!
    if (mm(ay) === mm(by)) horizontal.push({ at: mm(ay), from: Math.min(mm(ax), mm(bx)), to: Math.max(mm(ax), mm(bx)) })
    else if (mm(ax) === mm(bx))
      vertical.push({ at: mm(ax), from: Math.min(mm(ay), mm(by)), to: Math.max(mm(ay), mm(by)) })
    else throw new Error('an edge is neither horizontal nor vertical')
  })
  return { horizontal, vertical }
}

/** Length of the longest straight wall that two rooms share, in millimetres. A door needs a straight wall. */
export function sharedWallMm(a: Polygon, b: Polygon): number {
  const ours = edges(a)
  const theirs = edges(b)
  let longest = 0
  for (const side of ['horizontal', 'vertical'] as const) {
    for (const p of ours[side]) {
      for (const q of theirs[side]) {
        if (p.at === q.at) longest = Math.max(longest, Math.min(p.to, q.to) - Math.max(p.from, q.from))
      }
    }
  }
  return longest
}

/**
 * The lines through all corners divide the plate into cells. Counts the rooms that cover each cell, and returns the set
 * of these counts. If the rooms tile the plate, the set contains only the number 1.
 */
export function coverage(plate: Polygon, rooms: readonly Polygon[]): Set<number> {
  const xs = [...new Set([plate, ...rooms].flatMap((polygon) => polygon.map(([x]) => mm(x))))].sort((a, b) => a - b)
  const ys = [...new Set([plate, ...rooms].flatMap((polygon) => polygon.map(([, y]) => mm(y))))].sort((a, b) => a - b)
  const counts = new Uint8Array((xs.length - 1) * (ys.length - 1))
  const columnOf = new Map(xs.map((x, i) => [x, i]))
  for (const polygon of rooms) {
    const { vertical } = edges(polygon)
    const columns = polygon.map(([x]) => columnOf.get(mm(x))!)
    for (let row = 0; row < ys.length - 1; row++) {
      const y = (ys[row]! + ys[row + 1]!) / 2
      const walls = vertical.filter((line) => line.from < y && y < line.to).map((line) => line.at)
      if (walls.length === 0) continue
      for (let column = Math.min(...columns); column < Math.max(...columns); column++) {
        const x = (xs[column]! + xs[column + 1]!) / 2
        if (walls.filter((wall) => wall < x).length % 2 === 1) counts[row * (xs.length - 1) + column]!++
      }
    }
  }
  return new Set(counts)
}

const CIRCULATION = ['corridor', 'concourse', 'parking-aisle', 'lift-lobby', 'lobby', 'atrium', 'ramp']

/** Rooms that cannot be reached from the core through corridors, with doors of the given width. */
export function unreachable(spaces: readonly Space[], doorMm: number): Space[] {
  const start = ['lift-lobby', 'stair', 'lobby', 'ramp', 'corridor', 'concourse', 'parking-aisle']
    .map((type) => spaces.find((space) => space.spaceType === type))
    .find((space) => space !== undefined)
  const reached = new Set<Space>([start ?? spaces[0]!])
  const queue = [...reached]
  while (queue.length > 0) {
    const here = queue.pop()!
    if (here !== start && !CIRCULATION.includes(here.spaceType)) continue
    for (const next of spaces) {
      if (reached.has(next) || sharedWallMm(here.polygon, next.polygon) < doorMm) continue
      reached.add(next)
      queue.push(next)
    }
  }
  return spaces.filter((space) => !reached.has(space))
}
