import type { Point } from './ring.ts'

/** Corners that are closer than this count as the same, because web-ifc computes with single precision. */
const SAME_M = 0.0005
const MAX_OPEN_EDGES = 4000

/**
 * The edges of adjacent faces. An edge that two faces share cancels out. The edges that remain are called open: they
 * are the outline.
 */
export class EdgeSet {
  readonly points: Point[] = []
  readonly #cells = new Map<string, number[]>()
  /** For each corner at which open edges begin, the corners at which these edges end. */
  readonly #open = new Map<number, number[]>()

  /** The index of the corner at a point. A new corner is added if none is close enough. */
  corner([x, y]: Point): number {
    const column = Math.floor(x / SAME_M)
    const row = Math.floor(y / SAME_M)
    for (let dx = -1; dx <= 1; dx++)
      for (let dy = -1; dy <= 1; dy++)
        for (const index of this.#cells.get(`${column + dx} ${row + dy}`) ?? [])
          if (Math.hypot(this.points[index]![0] - x, this.points[index]![1] - y) <= SAME_M) return index
    const index = this.points.push([x, y]) - 1
    const key = `${column} ${row}`
    this.#cells.set(key, [...(this.#cells.get(key) ?? []), index])
    return index
  }

  add(from: number, to: number): void {
    if (from === to) return
    const back = this.#open.get(to)
    const at = back?.indexOf(from) ?? -1
    if (back && at >= 0) {
      back.splice(at, 1)
      if (back.length === 0) this.#open.delete(to)
      return
    }
    const leading = this.#open.get(from)
    if (leading) leading.push(to)
    else this.#open.set(from, [to])
  }

  /** The open edges as closed rings, or null if they do not close or are too many. */
  rings(): Point[][] | null {
    if (!this.#splitAtCorners()) return null
    const rings: Point[][] = []
    while (this.#open.size > 0) {
      const ring = this.#walk()
      if (ring === null) return null
      rings.push(ring.map((index) => this.points[index]!))
    }
    return rings
  }

  /** Splits edges at corners that lie on them. Seen from above, a stepped floor has such corners between its faces. */
  #splitAtCorners(): boolean {
    const sides = [...this.#open].flatMap(([from, tos]) => tos.map((to) => [from, to] as const))
    if (sides.length > MAX_OPEN_EDGES) return false
    const corners = [...new Set(sides.flat())]
    this.#open.clear()
    for (const [from, to] of sides) {
      const stops = corners.filter((corner) => corner !== from && corner !== to && this.#liesOn(corner, from, to))
      stops.sort((a, b) => this.#distance(from, a) - this.#distance(from, b))
      let at = from
      for (const stop of [...stops, to]) {
        this.add(at, stop)
        at = stop
      }
    }
    return true
  }

  #liesOn(corner: number, from: number, to: number): boolean {
    const [[x, y], [ax, ay], [bx, by]] = [this.points[corner]!, this.points[from]!, this.points[to]!]
    const length = Math.hypot(bx - ax, by - ay)
    const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
    const aside = Math.abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / length
    return aside <= SAME_M && along > 0 && along < length
  }

  #distance(a: number, b: number): number {
    return Math.hypot(this.points[a]![0] - this.points[b]![0], this.points[a]![1] - this.points[b]![1])
  }

  /**
   * Follows open edges until the path reaches one of its own corners again. Returns the part of the path that begins
   * at the first visit to that corner: it is a ring. Returns null if the path ends earlier. The edges that lead to the
   * ring stay open.
   */
  #walk(): number[] | null {
    const path = [this.#open.keys().next().value as number]
    const places = new Map([[path[0]!, 0]])
    for (;;) {
      const next = this.#leave(path.at(-2) ?? null, path.at(-1)!)
      if (next === null) return null
      const seen = places.get(next)
      if (seen !== undefined) {
        for (let at = 0; at < seen; at++) this.add(path[at]!, path[at + 1]!)
        return path.slice(seen)
      }
      places.set(next, path.push(next) - 1)
    }
  }

  /**
   * Of the open edges that begin at the corner `at`, removes the edge that turns left the most, so that rings that
   * touch in a corner stay separate. Returns the other end of the edge, or null if no open edge begins at the corner.
   */
  #leave(previous: number | null, at: number): number | null {
    const leading = this.#open.get(at)
    if (leading === undefined) return null
    const angle = (to: number): number => {
      const [[x, y], [tx, ty]] = [this.points[at]!, this.points[to]!]
      const [px, py] = previous === null ? [x - 1, y] : this.points[previous]!
      const turned = Math.atan2(ty - y, tx - x) - Math.atan2(y - py, x - px)
      return Math.atan2(Math.sin(turned), Math.cos(turned))
    }
    const next = leading.length === 1 ? leading[0]! : leading.toSorted((a, b) => angle(b) - angle(a))[0]!
    leading.splice(leading.indexOf(next), 1)
    if (leading.length === 0) this.#open.delete(at)
    return next
  }
}
