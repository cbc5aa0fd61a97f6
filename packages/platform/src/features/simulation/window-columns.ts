import { freeBuffer } from '@storey/kit/free-buffer'
import type { Window } from './messages.ts'

/** The samples of a window (a range of time), one column for each of their fields. */
export type Columns = Pick<Window, 'offsetsMs' | 'points' | 'values'>

/** The factor by which the columns grow when they are full. */
const GROWTH = 1.25

export const createColumns = (length: number): Columns => ({
  offsetsMs: new Uint32Array(length),
  points: new Int32Array(length),
  values: new Float64Array(length),
})

/** Moves the samples to longer columns. The shorter ones are freed. */
export function widened(columns: Columns, minLength: number): Columns {
  const wide = createColumns(Math.max(minLength, Math.ceil(columns.points.length * GROWTH)))
  wide.offsetsMs.set(columns.offsetsMs)
  wide.points.set(columns.points)
  wide.values.set(columns.values)
  freeColumns(columns)
  return wide
}

/**
 * Frees the memory now: the columns of a window take tens of megabytes in a large building, and the garbage collector
 * would free them much later.
 */
export function freeColumns({ offsetsMs, points, values }: Columns): void {
  for (const { buffer } of [offsetsMs, points, values]) freeBuffer(new Uint8Array(buffer))
}

/** Copies of the first `count` samples, sorted by time. Samples with the same time stay in their order. */
export function inOrder(columns: Columns, count: number): Columns {
  const keys = new Float64Array(count)
  // A key combines an offset and an index. All keys are below 2^53, so they are exact and can be sorted as numbers.
  for (let i = 0; i < count; i++) keys[i] = columns.offsetsMs[i]! * count + i
  keys.sort()
  const sorted = createColumns(count)
  for (let i = 0; i < count; i++) {
    const from = keys[i]! % count
    sorted.offsetsMs[i] = columns.offsetsMs[from]!
    sorted.points[i] = columns.points[from]!
    sorted.values[i] = columns.values[from]!
  }
  freeBuffer(new Uint8Array(keys.buffer))
  return sorted
}
