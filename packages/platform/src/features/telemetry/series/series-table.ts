import { Readable } from 'node:stream'
import { createYield } from '@storey/kit/yield-to-event-loop'
import type { BucketValue } from './aggregate.ts'
import type { BucketGrid } from './bucket-grid.ts'
import { createIsoWriter, finite } from './observations-text.ts'

/** Values in one piece of text. */
const PIECE = 4096

/** A value for each point and bucket; NaN where there is none. */
export class SeriesTable {
  readonly #ids: readonly string[]
  readonly #grid: BucketGrid
  readonly #values: Float64Array

  constructor(ids: readonly string[], grid: BucketGrid) {
    this.#ids = ids
    this.#grid = grid
    this.#values = new Float64Array(ids.length * grid.starts.length).fill(Number.NaN)
  }

  set(place: number, buckets: readonly BucketValue[]): void {
    const from = place * this.#grid.starts.length
    for (const { start, value } of buckets) this.#values[from + this.#grid.indexOf(start)] = finite(value)
  }

  /** The table as JSON text. It reports how much memory it takes until it has been read. */
  stream(): Readable & { memoryBytes: number } {
    const memoryBytes = this.#values.byteLength + this.#grid.starts.byteLength
    return Object.assign(Readable.from(this.#pieces(), { objectMode: false }), { memoryBytes })
  }

  async *#pieces(): AsyncGenerator<string> {
    const yieldIfDue = createYield()
    const iso = createIsoWriter()
    const { starts } = this.#grid
    const width = starts.length
    yield '{"timestamps":['
    for (let from = 0; from < width; from += PIECE) {
      let text = ''
      for (let i = from; i < Math.min(width, from + PIECE); i++) text += `${i === 0 ? '' : ','}"${iso(starts[i]!)}"`
      yield text
      await yieldIfDue()
    }
    yield '],"series":['
    for (const [place, id] of this.#ids.entries()) {
      const row = this.#values.subarray(place * width, (place + 1) * width)
      let text = `${place === 0 ? '' : ','}{"pointId":"${id}","values":[`
      for (let from = 0; from < width; from += PIECE) {
        for (let i = from; i < Math.min(width, from + PIECE); i++) {
          const value = row[i]!
          text += `${i === 0 ? '' : ','}${Number.isNaN(value) ? 'null' : value}`
        }
        yield text
        text = ''
        await yieldIfDue()
      }
      yield `${text}]}`
    }
    yield ']}'
  }
}
