import type { Observations } from '../ingest/observations.ts'

interface Rest {
  texts?: [number, string][]
  sourceNames?: string[]
  /** Runs of observations with the same source: their count, and the number of the source. */
  sources?: [number, number][]
}

const HEAD = 16
const FURTHEST = 2 ** 31 - 1

/**
 * A batch of observations as it is stored until it is folded into chunks: columns side by side, as they are in memory.
 *
 *   4 bytes  count
 *   4 bytes  1 when times are offsets, else 0
 *   8 bytes  the first time
 *   values   8 bytes each
 *   points   their numbers, 4 bytes each
 *   times    4 bytes each as offsets from the first; or 8 bytes each, where they lie more than 24 days apart
 *   rest     JSON of the texts and the sources, where there are any
 *
 * All numbers are little-endian. An observation normally takes 16 bytes, for the seconds until it is folded.
 */
export function encodeBatch(batch: Observations): Buffer {
  const { count, points, times, values } = batch
  const rest = restOf(batch)
  const offsets = offsetsOf(times, count)
  const timeBytes = offsets === null ? 8 : 4
  const data = Buffer.allocUnsafe(HEAD + count * (12 + timeBytes) + rest.length)
  data.writeUInt32LE(count, 0)
  data.writeUInt32LE(offsets === null ? 0 : 1, 4)
  data.writeDoubleLE(times[0] ?? 0, 8)
  let at = HEAD
  for (const column of [values.subarray(0, count), points.subarray(0, count), offsets ?? times.subarray(0, count)]) {
    data.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at)
    at += column.byteLength
  }
  data.set(rest, at)
  return data
}

function offsetsOf(times: Float64Array, count: number): Int32Array | null {
  const offsets = new Int32Array(count)
  const first = times[0]!
  for (let i = 0; i < count; i++) {
    const offset = times[i]! - first
    if (offset > FURTHEST || offset < -FURTHEST) return null
    offsets[i] = offset
  }
  return offsets
}

function restOf({ count, texts, sources, sourceNames }: Observations): Buffer {
  if (texts.size === 0 && sources === null) return Buffer.alloc(0)
  const rest: Rest = {}
  if (texts.size > 0) rest.texts = [...texts]
  if (sources !== null) {
    rest.sourceNames = sourceNames
    rest.sources = []
    for (let from = 0; from < count; ) {
      let to = from + 1
      while (to < count && sources[to] === sources[from]) to++
      rest.sources.push([to - from, sources[from]!])
      from = to
    }
  }
  return Buffer.from(JSON.stringify(rest))
}

export function decodeBatch(data: Buffer): Observations {
  const count = data.readUInt32LE(0)
  const hasOffsets = data.readUInt32LE(4) === 1
  const end = HEAD + count * (hasOffsets ? 16 : 20)
  // Columns of doubles must start at a multiple of eight, and a buffer from the database may start anywhere.
  const aligned = new Uint8Array(end - HEAD)
  aligned.set(data.subarray(HEAD, end))
  const values = new Float64Array(aligned.buffer, 0, count)
  const points = new Int32Array(aligned.buffer, count * 8, count)
  const times = new Float64Array(count)
  const first = data.readDoubleLE(8)
  if (hasOffsets) {
    const offsets = new Int32Array(aligned.buffer, count * 12, count)
    for (let i = 0; i < count; i++) times[i] = first + offsets[i]!
  } else {
    const view = new DataView(aligned.buffer, count * 12)
    for (let i = 0; i < count; i++) times[i] = view.getFloat64(i * 8, true)
  }
  const tail = data.subarray(end)
  const rest: Rest = tail.length === 0 ? {} : JSON.parse(tail.toString())
  const { texts = [], sourceNames = [] } = rest
  return { count, points, times, values, texts: new Map(texts), sources: sourcesOf(rest, count), sourceNames }
}

function sourcesOf({ sources }: Rest, count: number): Uint16Array | null {
  if (sources === undefined) return null
  const each = new Uint16Array(count)
  let at = 0
  for (const [length, number] of sources) {
    each.fill(number, at, at + length)
    at += length
  }
  return each
}
