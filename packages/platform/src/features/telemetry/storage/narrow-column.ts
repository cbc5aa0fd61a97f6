type Numbers = Float64Array | Int32Array

/**
 * An encoded column of numbers. Whole numbers are stored as offsets from the smallest number. Each offset has 0, 1, 2
 * or 4 bytes, the fewest in which the largest offset fits. If the largest offset does not fit into 4 bytes, or a number
 * is not whole, the numbers are stored as doubles.
 */
export interface NarrowColumn {
  /** The smallest number; 0 for doubles. */
  base: number
  /** An index into `WIDTHS`. */
  width: number
  bytes: Uint8Array
}

/** A column that is not written yet. */
export interface ColumnPlan {
  numbers: Float64Array
  /** Each number times the factor is a whole number, unless the column has doubles. */
  factor: number
  base: number
  width: number
}

/** Bytes for each number. The first width is for a column whose numbers are all the same, the last one for doubles. */
const WIDTHS = [0, 1, 2, 4, 8] as const
const DOUBLES = 4
const MAX_OFFSETS = [0, 0xff, 0xffff, 0xffff_ffff] as const

export interface Range {
  min: number
  max: number
}

function rangeOf(numbers: Float64Array): Range {
  let min = numbers[0] ?? 0
  let max = min
  for (let i = 1; i < numbers.length; i++) {
    const number = numbers[i]!
    if (number < min) min = number
    else if (number > max) max = number
  }
  return { min, max }
}

/**
 * Plans a column of the products of the numbers and a factor. The caller has checked that the products are whole
 * numbers. If the products lie too far apart, the column has the numbers themselves, as doubles.
 */
export function planColumn(numbers: Float64Array, factor = 1, { min, max }: Range = rangeOf(numbers)): ColumnPlan {
  const base = Math.round(min * factor)
  const range = Math.round(max * factor) - base
  const width = MAX_OFFSETS.findIndex((most) => range <= most)
  return width === -1 ? planDoubles(numbers) : { numbers, factor, base, width }
}

export const planDoubles = (numbers: Float64Array): ColumnPlan => ({ numbers, factor: 1, base: 0, width: DOUBLES })

export const bytesAt = (width: number): number => WIDTHS[width] ?? 0

export const sizeOf = ({ numbers, width }: ColumnPlan): number => numbers.length * bytesAt(width)

/** Writes a column, and returns the offset after it. A single loop for all widths would be several times slower. */
export function putColumn({ numbers, factor, base, width }: ColumnPlan, target: Uint8Array, at: number): number {
  const { length } = numbers
  if (width === DOUBLES) target.set(bytesOf(numbers), at)
  else if (width === 1) for (let i = 0; i < length; i++) target[at + i] = Math.round(numbers[i]! * factor) - base
  else if (width === 2) {
    for (let i = 0; i < length; i++) {
      const offset = Math.round(numbers[i]! * factor) - base
      target[at + 2 * i] = offset
      target[at + 2 * i + 1] = offset >> 8
    }
  } else if (width === 3) {
    const view = new DataView(target.buffer, target.byteOffset + at)
    for (let i = 0; i < length; i++) view.setUint32(4 * i, Math.round(numbers[i]! * factor) - base, true)
  }
  return at + length * bytesAt(width)
}

/**
 * Fills an array with the numbers of a column, multiplied by `times` and divided by `by`. `times` and `by` are whole
 * numbers, because a factor such as 0.001 would make the results inexact. Doubles are copied as they are.
 */
export function widen<Into extends Numbers>(column: NarrowColumn, into: Into, { times = 1, by = 1 } = {}): Into {
  const { base, width, bytes } = column
  const { length } = into
  // A typed array with several bytes per number must start at an aligned offset, but a column may start anywhere in its
  // batch. So the bytes of the column are read one by one or with a DataView.
  if (width === DOUBLES) bytesOf(into).set(bytes)
  else if (width === 0) into.fill((base * times) / by)
  else if (width === 1) for (let i = 0; i < length; i++) into[i] = ((base + bytes[i]!) * times) / by
  else if (width === 2) {
    for (let i = 0; i < length; i++) into[i] = ((base + (bytes[2 * i]! | (bytes[2 * i + 1]! << 8))) * times) / by
  } else {
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    for (let i = 0; i < length; i++) into[i] = ((base + view.getUint32(4 * i, true)) * times) / by
  }
  return into
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Numbers): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
