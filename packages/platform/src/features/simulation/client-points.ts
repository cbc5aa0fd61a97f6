import { SIMULATION_SOURCE } from '@storey/contract'
import type { Observations } from '../telemetry/index.ts'

/**
 * The numbers of the points that clients have written to since this process started: all points written through this
 * process, and the points written through other processes while this process simulated the building of the point, or in
 * batches that waited to be folded when this process began to simulate a building.
 */
export interface ClientPoints {
  readonly seen: PointNumbers
  /** Call with every batch that this process commits, and with the batches that wait to be folded. */
  note(observations: Observations): void
}

/** A set of point numbers, as an array with a byte for each number. */
export class PointNumbers {
  #isIn = new Uint8Array(0)
  size = 0

  /** Adds the first `count` points. Nearly all are in the set already; the loop skips those without calling `add`. */
  addAll(points: Int32Array, count: number): void {
    let isIn = this.#isIn
    for (let i = 0; i < count; i++) {
      const point = points[i]!
      if (isIn[point] === 1) continue
      this.add(point)
      isIn = this.#isIn
    }
  }

  add(point: number): void {
    if (this.#isIn[point] === 1) return
    if (point >= this.#isIn.length) {
      const before = this.#isIn
      this.#isIn = new Uint8Array(Math.max(1024, point * 2))
      this.#isIn.set(before)
    }
    this.#isIn[point] = 1
    this.size++
  }

  has(point: number): boolean {
    return this.#isIn[point] === 1
  }
}

export function createClientPoints(): ClientPoints {
  const seen = new PointNumbers()
  return {
    seen,
    note({ count, points, sources, sourceNames }) {
      const simulation = sourceNames.indexOf(SIMULATION_SOURCE) + 1
      if (simulation === 0 || sources === null) return seen.addAll(points, count)
      for (let i = 0; i < count; i++) if (sources[i] !== simulation) seen.add(points[i]!)
    },
  }
}
