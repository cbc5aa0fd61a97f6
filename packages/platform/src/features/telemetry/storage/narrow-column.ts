type Numbers = Float64Array | Int32Array
type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Whole numbers as their offsets from the smallest one, in as few bytes as the largest offset needs; or doubles. */
export interface NarrowColumn {
  /** The smallest number; 0 for doubles. */
  base: number
  /** An index into `WIDTHS`. */
  width: number
  bytes: Uint8Array
}

/** The arrays of the offsets. The first width has no bytes, for a column whose numbers are all the same. */
const WIDTHS = [undefined, Uint8Array, Uint16Array, Uint32Array, Float64Array] as const
const DOUBLES = 4
const MAX_OFFSETS = [0, 0xff, 0xffff, 0xffff_ffff] as const

/**
 * The numbers multiplied by a factor. The products must be whole numbers, which the caller has checked. Undefined if
 * they lie too far apart.
 */
export function narrow(numbers: Numbers, factor = 1): NarrowColumn | undefined {
  let min = numbers[0] ?? 0
  let max = min
  for (let i = 1; i < numbers.length; i++) {
    const number = numbers[i]!
    if (number < min) min = number
    else if (number > max) max = number
  }
  const base = Math.round(min * factor)
  const range = Math.round(max * factor) - base
  const width = MAX_OFFSETS.findIndex((most) => range <= most)
  if (width === -1) return undefined
  const Type = WIDTHS[width]
  if (Type === undefined) return { base, width, bytes: new Uint8Array() }
  const offsets = new Type(numbers.length)
  for (let i = 0; i < numbers.length; i++) offsets[i] = Math.round(numbers[i]! * factor) - base
  return { base, width, bytes: bytesOf(offsets) }
}

/** Doubles as they are. */
export const doubles = (numbers: Float64Array): NarrowColumn => ({
  base: 0,
  width: DOUBLES,
  bytes: bytesOf(numbers),
})

/**
 * Fills an array with the numbers of a column, multiplied or divided: only whole factors keep them exact. Doubles are
 * copied as they are.
 */
export function widen<Into extends Numbers>(column: NarrowColumn, into: Into, { times = 1, by = 1 } = {}): Into {
  if (column.width === DOUBLES) {
    bytesOf(into).set(column.bytes)
    return into
  }
  putWhole(column, into)
  if (times !== 1) for (let i = 0; i < into.length; i++) into[i]! *= times
  if (by !== 1) for (let i = 0; i < into.length; i++) into[i]! /= by
  return into
}

/** Reads byte by byte, since a column may start anywhere in its batch, where an array of larger numbers cannot start. */
function putWhole({ base, width, bytes }: NarrowColumn, into: Numbers): void {
  const { length } = into
  if (width === 0) into.fill(base)
  else if (width === 1) for (let i = 0; i < length; i++) into[i] = base + bytes[i]!
  else if (width === 2) for (let i = 0; i < length; i++) into[i] = base + (bytes[2 * i]! | (bytes[2 * i + 1]! << 8))
  else {
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    for (let i = 0; i < length; i++) into[i] = base + view.getUint32(4 * i, true)
  }
}

export const bytesAt = (width: number): number => WIDTHS[width]?.BYTES_PER_ELEMENT ?? 0

const bytesOf = ({ buffer, byteOffset, byteLength }: Column | Numbers): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
