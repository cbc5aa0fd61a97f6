import { Readable } from 'node:stream'
import { createYield } from '@storey/kit/yield-to-event-loop'
import type { BucketValue } from './aggregate.ts'
import type { BucketGrid } from './bucket-grid.ts'
import { createIsoWriter, finite } from './observations-text.ts'

/** The number of values in one piece of text. */
const PIECE = 4096

/**
 * For each point and bucket, one value for each name (`values`, `minimums`, `maximums`). A missing value is NaN.
 */
export class SeriesTable {
  readonly #ids: readonly string[]
  readonly #names: readonly string[]
  readonly #grid: BucketGrid
  readonly #values: Float64Array

  constructor(ids: readonly string[], names: readonly string[], grid: BucketGrid) {
    this.#ids = ids
    this.#names = names
    this.#grid = grid
    this.#values = new Float64Array(ids.length * names.length * grid.starts.length).fill(Number.NaN)
  }

  set(pointIndex: number, nameIndex: number, buckets: readonly BucketValue[]): void {
    const from = this.#start(pointIndex, nameIndex)
    for (const { start, value } of buckets) this.#values[from + this.#grid.indexOf(start)] = finite(value)
  }

  #start(pointIndex: number, nameIndex: number): number {
    return (pointIndex * this.#names.length + nameIndex) * this.#grid.starts.length
  }

  /** The table as JSON text. `memoryBytes` is the memory that the stream takes until it has been read. */
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
    for (const [pointIndex, id] of this.#ids.entries()) {
      yield `${pointIndex === 0 ? '' : ','}{"pointId":"${id}"`
      for (const [nameIndex, name] of this.#names.entries()) {
        yield `,"${name}":[`
        const start = this.#start(pointIndex, nameIndex)
        const row = this.#values.subarray(start, start + width)
        for (let from = 0; from < width; from += PIECE) {
          yield numbers(row, from, Math.min(width, from + PIECE))
          await yieldIfDue()
        }
        yield ']'
      }
      yield '}'
    }
    yield ']}'
  }
}

function numbers(row: Float64Array, from: number, to: number): string {
  let text = ''
  for (let i = from; i < to; i++) {
    const value = row[i]!
    text += `${i === 0 ? '' : ','}${Number.isNaN(value) ? 'null' : value}`
  }
  return text
}
