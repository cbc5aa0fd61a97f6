import { encodePart } from '../packages/platform/src/features/telemetry/storage/batch-codec.ts'
import { loadOf, MESSAGE_SIZE } from './loads.ts'

const PARSE_MS = 2_000

/** One message in the format in which the batches table stores it. */
export function packedMessage(): Buffer {
  const times = new Float64Array(MESSAGE_SIZE).fill(Date.now())
  const values = Float64Array.from(times, (_, i) => 18 + ((i * 7) % 80) / 10)
  const numbers = Int32Array.from(times, (_, i) => i)
  const none = { texts: new Map(), sources: null, sourceNames: [] }
  return encodePart({ count: MESSAGE_SIZE, points: numbers, times, values, ...none })
}

/** How many observations a second JSON.parse alone reads. */
export function parseRate(points: readonly string[]): number {
  const text = loadOf('json', points).sender().next().toString()
  const start = performance.now()
  let count = 0
  while (performance.now() - start < PARSE_MS) count += JSON.parse(text).observations.length
  return count / ((performance.now() - start) / 1000)
}
