export type Point = [number, number]

/** Twice the signed area of the triangle a, b, c: positive if c is on the left of the line from a to b. */
export function orientation(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/** Positive when the ring runs counter-clockwise. */
export function signedArea(ring: readonly Point[]): number {
  let twice = 0
  for (let at = 0; at < ring.length; at++) {
    const [x, y] = ring[at]!
    const [nextX, nextY] = ring[(at + 1) % ring.length]!
    twice += x * nextY - nextX * y
  }
  return twice / 2
}

/** A corner that is closer than this to the line between its neighbours is dropped. */
const STRAIGHT_M = 0.001

/** Rounds to the millimetre, and drops duplicate and collinear points. */
export function simplify(ring: readonly Point[]): Point[] {
  const round = (value: number): number => Math.round(value * 1000) / 1000 || 0
  let points = ring.map(([x, y]): Point => [round(x), round(y)])
  for (let before = -1; before !== points.length && points.length >= 3; ) {
    before = points.length
    points = dropRedundant(points)
  }
  return points.length >= 3 ? points : []
}

function dropRedundant(points: Point[]): Point[] {
  const kept: Point[] = []
  for (let at = 0; at < points.length; at++) {
    const previous = kept.at(-1) ?? points.at(-1)!
    const point = points[at]!
    const next = points[(at + 1) % points.length]!
    const length = Math.hypot(next[0] - previous[0], next[1] - previous[1])
    const repeats = point[0] === next[0] && point[1] === next[1]
    const straight = Math.abs(orientation(previous, point, next)) <= STRAIGHT_M * length
    if (!repeats && !(straight && length > 0) && length > 0) kept.push(point)
  }
  return kept
}

const MAX_POINTS = 2000

/** Whether the ring is a simple polygon of at most 2000 points: no edge touches another one except its neighbours. */
export function isSimple(ring: readonly Point[]): boolean {
  const count = ring.length
  if (count < 3 || count > MAX_POINTS) return false
  for (let one = 0; one < count; one++)
    for (let other = one + 2; other < count; other++) {
      if (one === 0 && other === count - 1) continue
      if (touch(ring[one]!, ring[one + 1]!, ring[other]!, ring[(other + 1) % count]!)) return false
    }
  return true
}

function touch(a: Point, b: Point, c: Point, d: Point): boolean {
  const sides = [orientation(a, b, c), orientation(a, b, d), orientation(c, d, a), orientation(c, d, b)] as const
  if (sides[0] > 0 !== sides[1] > 0 && sides[2] > 0 !== sides[3] > 0 && sides.every((side) => side !== 0)) return true
  return (
    (sides[0] === 0 && within(a, b, c)) ||
    (sides[1] === 0 && within(a, b, d)) ||
    (sides[2] === 0 && within(c, d, a)) ||
    (sides[3] === 0 && within(c, d, b))
  )
}

function within([ax, ay]: Point, [bx, by]: Point, [x, y]: Point): boolean {
  return x >= Math.min(ax, bx) && x <= Math.max(ax, bx) && y >= Math.min(ay, by) && y <= Math.max(ay, by)
}
