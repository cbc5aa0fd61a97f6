import type { Observations } from '../ingest/observations.ts'
import { type BatchRest, FORM, HEAD, POWERS, SECOND_MS } from './batch-codec.ts'
import { decodeFirstForm } from './first-batch-form.ts'
import { bytesAt, type NarrowColumn, widen } from './narrow-column.ts'

type DecodedColumns = Pick<Observations, 'points' | 'times' | 'values'>

const newColumns = (count: number): DecodedColumns => ({
  points: new Int32Array(count),
  times: new Float64Array(count),
  values: new Float64Array(count),
})

/** Decodes a batch of the current form, or of the first one, which earlier versions wrote. */
export function decodeBatch(data: Buffer): Observations {
  if (data[4] !== FORM) return decodeFirstBatch(data)
  return decoded(new PackedBatch(data))
}

/**
 * A batch whose columns are decoded when they are read, so that many batches take little memory. All batches use the
 * same arrays: a column is valid until the same column of another batch is read. A batch with texts is decoded at once,
 * so that its bytes, which contain the texts a second time, are not kept.
 */
export function openBatch(data: Buffer): Readonly<Observations> {
  if (data[4] !== FORM) return decodeFirstBatch(data)
  const batch = new PackedBatch(data)
  return batch.texts.size === 0 ? batch : decoded(batch)
}

function decoded(batch: PackedBatch): Observations {
  const { count, texts, sources, sourceNames } = batch
  const { points, times, values } = newColumns(count)
  batch.putPoints(points)
  batch.putTimes(times)
  batch.putValues(values)
  return { count, points, times, values, texts, sources, sourceNames }
}

function decodeFirstBatch(data: Buffer): Observations {
  const count = data.readUInt32LE(0)
  const { end, ...columns } = decodeFirstForm(data, count)
  return { count, ...columns, ...decodeRest(data.subarray(end), count) }
}

let shared = newColumns(4096)

class PackedBatch implements Readonly<Observations> {
  readonly count: number
  readonly texts: Observations['texts']
  readonly sources: Observations['sources']
  readonly sourceNames: Observations['sourceNames']
  readonly #data: Buffer
  /** Where the points and the times begin. The values come first. */
  readonly #pointsAt: number
  readonly #timesAt: number

  constructor(data: Buffer) {
    this.#data = data
    this.count = data.readUInt32LE(0)
    this.#pointsAt = HEAD + this.count * bytesAt(data[5]!)
    this.#timesAt = this.#pointsAt + this.count * bytesAt(data[6]!)
    const end = this.#timesAt + this.count * bytesAt(data[7]!)
    ;({
      texts: this.texts,
      sources: this.sources,
      sourceNames: this.sourceNames,
    } = decodeRest(data.subarray(end), this.count))
  }

  get points(): Int32Array {
    return this.putPoints(this.#shared().points.subarray(0, this.count))
  }

  get times(): Float64Array {
    return this.putTimes(this.#shared().times.subarray(0, this.count))
  }

  get values(): Float64Array {
    return this.putValues(this.#shared().values.subarray(0, this.count))
  }

  putPoints(into: Int32Array): Int32Array {
    return widen(this.#column(1, this.#pointsAt), into)
  }

  putTimes(into: Float64Array): Float64Array {
    return widen(this.#column(2, this.#timesAt), into, { times: this.#data[9] === 1 ? SECOND_MS : 1 })
  }

  putValues(into: Float64Array): Float64Array {
    return widen(this.#column(0, HEAD), into, { by: POWERS[this.#data[8]!]! })
  }

  #column(i: number, at: number): NarrowColumn {
    const width = this.#data[5 + i]!
    const bytes = this.#data.subarray(at, at + bytesAt(width) * this.count)
    return { base: this.#data.readDoubleLE(16 + i * 8), width, bytes }
  }

  #shared(): DecodedColumns {
    if (shared.points.length < this.count) shared = newColumns(2 * this.count)
    return shared
  }
}

function decodeRest(tail: Buffer, count: number): Pick<Observations, 'texts' | 'sources' | 'sourceNames'> {
  const rest: BatchRest = tail.length === 0 ? {} : JSON.parse(tail.toString())
  const { texts = [], sourceNames = [] } = rest
  return { texts: new Map(texts), sources: sourcesOf(rest, count), sourceNames }
}

function sourcesOf({ sources }: BatchRest, count: number): Uint16Array | null {
  if (sources === undefined) return null
  const each = new Uint16Array(count)
  let at = 0
  for (const [length, number] of sources) {
    each.fill(number, at, at + length)
    at += length
  }
  return each
}
