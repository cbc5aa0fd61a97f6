import type { Observations } from '../ingest/observations.ts'
import { FORMAT, HEAD, type PartRest, POWERS, SECOND_MS } from './batch-codec.ts'
import { decodeFirstColumns } from './first-batch-format.ts'
import { bytesAt, type NarrowColumn, widen } from './narrow-column.ts'

type DecodedColumns = Pick<Observations, 'points' | 'times' | 'values'>

const newColumns = (count: number): DecodedColumns => ({
  points: new Int32Array(count),
  times: new Float64Array(count),
  values: new Float64Array(count),
})

/** Decodes a batch of the current format, or of a format that an earlier version wrote. */
export function decodeBatch(data: Buffer): Observations[] {
  if (isOfFirstFormat(data)) return [decodeFirstFormat(data)]
  return partsOf(data).map(decoded)
}

/**
 * Returns the parts of a batch. A column is decoded when it is read, so that many batches take little memory. The parts
 * of all batches use the same arrays: a column is valid until the same column of another part is read. A part with
 * texts is decoded at once, so that its bytes, which contain the texts a second time, are not kept.
 */
export function openBatch(data: Buffer): Readonly<Observations>[] {
  if (isOfFirstFormat(data)) return [decodeFirstFormat(data)]
  return partsOf(data).map((part) => (part.texts.size === 0 ? part : decoded(part)))
}

/** A batch of this format has one part, whose head does not contain the length of its texts and sources. */
const SECOND_FORMAT = 2
const SECOND_HEAD = 40

const isOfFirstFormat = (data: Buffer): boolean => data[4]! < SECOND_FORMAT

function partsOf(data: Buffer): PackedPart[] {
  const parts: PackedPart[] = []
  for (let at = 0; at < data.length; at += parts.at(-1)!.length) parts.push(new PackedPart(data.subarray(at)))
  if (parts.reduce((sum, { length }) => sum + length, 0) !== data.length) throw new Error('a batch is cut off')
  return parts
}

function decoded(part: PackedPart): Observations {
  const { count, texts, sources, sourceNames } = part
  const { points, times, values } = newColumns(count)
  part.putPoints(points)
  part.putTimes(times)
  part.putValues(values)
  return { count, points, times, values, texts, sources, sourceNames }
}

function decodeFirstFormat(data: Buffer): Observations {
  const count = data.readUInt32LE(0)
  const { end, ...columns } = decodeFirstColumns(data, count)
  return { count, ...columns, ...decodeRest(data.subarray(end), count) }
}

let shared = newColumns(4096)

class PackedPart implements Readonly<Observations> {
  readonly count: number
  readonly texts: Observations['texts']
  readonly sources: Observations['sources']
  readonly sourceNames: Observations['sourceNames']
  readonly length: number
  readonly #data: Buffer
  /** Where the columns begin. */
  readonly #valuesAt: number
  readonly #pointsAt: number
  readonly #timesAt: number

  /** `data` begins with the part. The bytes of further parts may follow. */
  constructor(data: Buffer) {
    this.count = data.readUInt32LE(0)
    const isSecond = data[4] === SECOND_FORMAT
    if (!isSecond && data[4] !== FORMAT) throw new Error(`a batch has the unknown format ${data[4]}`)
    this.#valuesAt = isSecond ? SECOND_HEAD : HEAD
    this.#pointsAt = this.#valuesAt + this.count * bytesAt(data[5]!)
    this.#timesAt = this.#pointsAt + this.count * bytesAt(data[6]!)
    const end = this.#timesAt + this.count * bytesAt(data[7]!)
    this.length = isSecond ? data.length : end + data.readUInt32LE(12)
    this.#data = data.subarray(0, this.length)
    ;({
      texts: this.texts,
      sources: this.sources,
      sourceNames: this.sourceNames,
    } = decodeRest(this.#data.subarray(end), this.count))
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
    widen(this.#column(1, this.#pointsAt), into)
    if (this.#valuesAt === HEAD && this.#data[10] === 1) {
      let point = this.#data.readInt32LE(40)
      for (let i = 0; i < into.length; i++) {
        point += into[i]!
        into[i] = point
      }
    }
    return into
  }

  putTimes(into: Float64Array): Float64Array {
    return widen(this.#column(2, this.#timesAt), into, { times: this.#data[9] === 1 ? SECOND_MS : 1 })
  }

  putValues(into: Float64Array): Float64Array {
    return widen(this.#column(0, this.#valuesAt), into, { by: POWERS[this.#data[8]!]! })
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
  const rest: PartRest = tail.length === 0 ? {} : JSON.parse(tail.toString())
  const { texts = [], sourceNames = [] } = rest
  return { texts: new Map(texts), sources: sourcesOf(rest, count), sourceNames }
}

function sourcesOf({ sources }: PartRest, count: number): Uint16Array | null {
  if (sources === undefined) return null
  const each = new Uint16Array(count)
  let at = 0
  for (const [length, number] of sources) {
    each.fill(number, at, at + length)
    at += length
  }
  return each
}
