import { type Observations, sourceOf, valueText } from '../ingest/observations.ts'

export interface LastValue {
  atMs: number
  value: string
  source: string | null
}

/**
 * The last value of each point in consecutive batches, for `latest.ts` and `stream-latest.ts`. Of two values at the
 * same instant, the last to arrive counts.
 */
export class LastValues {
  readonly #last = new Map<number, LastValue>()

  add(batch: Observations): void {
    const places = new Map<number, number>()
    const { count, points, times } = batch
    for (let i = 0; i < count; i++) {
      const place = places.get(points[i]!)
      if (place === undefined || times[i]! >= times[place]!) places.set(points[i]!, i)
    }
    for (const [point, i] of places) {
      const known = this.#last.get(point)
      if (known !== undefined && known.atMs > times[i]!) continue
      this.#last.set(point, { atMs: times[i]!, value: valueText(batch, i), source: sourceOf(batch, i) })
    }
  }

  get(point: number): LastValue | undefined {
    return this.#last.get(point)
  }

  [Symbol.iterator](): Iterator<[point: number, last: LastValue]> {
    return this.#last.entries()
  }
}
