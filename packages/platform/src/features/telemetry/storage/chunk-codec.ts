const LISTED = 1
const DECIMAL = 2
const CONSTANT = 4

const MAX_DECIMALS = 6
const POWERS = Float64Array.from({ length: MAX_DECIMALS + 1 }, (_, i) => 10 ** i)
/** The largest scaled value: the difference of two integers up to this size still fits into a signed 32-bit word. */
const LARGEST = 2 ** 30 - 1

export interface Samples {
  /** Milliseconds since the start of the day, ascending. */
  offsetsMs: Uint32Array
  values: Float64Array
}

export const newSamples = (count: number): Samples => ({
  offsetsMs: new Uint32Array(count),
  values: new Float64Array(count),
})

/** Bytes that `count` samples take at most. */
export const maxBytes = (count: number): number => 24 + count * 13

/**
 * Packs the samples into `target` from `at` on, and returns the offset after them. This is the packed form of a
 * point's observations within a UTC day:
 *
 *   1 byte   the flags LISTED, DECIMAL and CONSTANT
 *   varint   count
 *   times    the first offset; then with LISTED the difference of each further offset to the previous one, else one
 *            difference, which is the same for all further offsets. All are varints, in milliseconds.
 *   values   with DECIMAL: 1 byte with the number of decimals n, then one whole number per value, which is the value
 *            times 10^n: the first whole number, then the difference of each further one to the previous one, all as
 *            zigzag varints; with DECIMAL and CONSTANT: the same, but only the first whole number;
 *            without DECIMAL: doubles, 8 bytes each
 *
 * Sensors report tenths and change little, so nearly every value takes one byte: 288 samples of a room's temperature
 * at regular times take 300 bytes, and 288 equal samples take 10. Decoding returns what was encoded, except the sign of
 * zero.
 */
export function encodeChunk({ offsetsMs, values }: Samples, target: Uint8Array, at: number): number {
  const decimals = scale(values)
  const step = stepOf(offsetsMs)
  const constant = decimals >= 0 && isConstant(values)
  let end = at
  target[end++] = (step < 0 ? LISTED : 0) | (decimals < 0 ? 0 : DECIMAL) | (constant ? CONSTANT : 0)
  end = putVarint(target, end, values.length)
  end = putTimes(target, end, offsetsMs, step)
  if (decimals < 0) return putFloats(target, end, values)
  target[end++] = decimals
  return putScaled(target, end, constant ? 1 : values.length)
}

/** Decodes samples into the arrays that `take` returns for their count. */
export function decodeChunk(bytes: Uint8Array, take = newSamples): Samples {
  const cursor = { bytes, at: 1 }
  const form = bytes[0]!
  const { offsetsMs, values } = take(takeVarint(cursor))
  takeTimes(cursor, offsetsMs, (form & LISTED) !== 0)
  if (form & DECIMAL) takeDecimals(cursor, values, (form & CONSTANT) !== 0)
  else takeFloats(cursor, values)
  return { offsetsMs, values }
}

/** The number of samples. */
export const countOf = (bytes: Uint8Array): number => takeVarint({ bytes, at: 1 })

/** The offset of the first sample in the day, in milliseconds; 0 if there is no sample. */
export function firstOffset(bytes: Uint8Array): number {
  const cursor = { bytes, at: 1 }
  return takeVarint(cursor) === 0 ? 0 : takeVarint(cursor)
}

/** The values of the chunk that is being encoded, as whole numbers. */
let scaled = new Int32Array(4096)

/**
 * Returns the smallest number of decimals that suffices for all values, or -1 if a value has too many decimals or is
 * too large. Fills `scaled` with the values, each multiplied by ten to the power of the returned number.
 */
function scale(values: Float64Array): number {
  if (scaled.length < values.length) scaled = new Int32Array(2 * values.length)
  let decimals = 0
  let power = 1
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    const whole = Math.round(value * power)
    if (whole / power === value) {
      if (Math.abs(whole) > LARGEST) return -1
      scaled[i] = whole
      continue
    }
    do {
      if (++decimals > MAX_DECIMALS) return -1
      power = POWERS[decimals]!
    } while (Math.round(value * power) / power !== value)
    // Starts again, because the values before this one are scaled by a smaller power.
    i = -1
  }
  return decimals
}

/** The step between regular times; 0 for fewer than two times, -1 if the times are not regular. */
function stepOf(offsetsMs: Uint32Array): number {
  if (offsetsMs.length < 2) return 0
  const step = offsetsMs[1]! - offsetsMs[0]!
  for (let i = 2; i < offsetsMs.length; i++) if (offsetsMs[i]! - offsetsMs[i - 1]! !== step) return -1
  return step
}

function isConstant(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false
  return true
}

function putTimes(target: Uint8Array, at: number, offsetsMs: Uint32Array, step: number): number {
  if (offsetsMs.length === 0) return at
  let end = putVarint(target, at, offsetsMs[0]!)
  if (step >= 0) return putVarint(target, end, step)
  for (let i = 1; i < offsetsMs.length; i++) end = putVarint(target, end, offsetsMs[i]! - offsetsMs[i - 1]!)
  return end
}

function putScaled(target: Uint8Array, at: number, count: number): number {
  let end = at
  let before = 0
  for (let i = 0; i < count; i++) {
    const whole = scaled[i]!
    const difference = (whole - before) | 0
    const zigzag = ((difference << 1) ^ (difference >> 31)) >>> 0
    if (zigzag < 128) target[end++] = zigzag
    else end = putVarint(target, end, zigzag)
    before = whole
  }
  return end
}

function putFloats(target: Uint8Array, at: number, values: Float64Array): number {
  const view = new DataView(target.buffer, target.byteOffset)
  for (let i = 0; i < values.length; i++) view.setFloat64(at + i * 8, values[i]!, true)
  return at + values.length * 8
}

function putVarint(target: Uint8Array, at: number, value: number): number {
  let rest = value >>> 0
  let end = at
  while (rest >= 128) {
    target[end++] = (rest & 127) | 128
    rest >>>= 7
  }
  target[end++] = rest
  return end
}

interface Cursor {
  bytes: Uint8Array
  at: number
}

function takeVarint(cursor: Cursor): number {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = cursor.bytes[cursor.at++]!
    value |= (byte & 127) << shift
    if (byte < 128) return value >>> 0
  }
}

function takeTimes(cursor: Cursor, offsetsMs: Uint32Array, listed: boolean): void {
  if (offsetsMs.length === 0) return
  let offset = takeVarint(cursor)
  offsetsMs[0] = offset
  if (listed) {
    for (let i = 1; i < offsetsMs.length; i++) {
      offset += takeVarint(cursor)
      offsetsMs[i] = offset
    }
    return
  }
  const step = takeVarint(cursor)
  for (let i = 1; i < offsetsMs.length; i++) {
    offset += step
    offsetsMs[i] = offset
  }
}

function takeDecimals(cursor: Cursor, values: Float64Array, constant: boolean): void {
  if (values.length === 0) return
  const power = POWERS[cursor.bytes[cursor.at++]!]!
  if (constant) return void values.fill(unzigzag(takeVarint(cursor)) / power)
  const { bytes } = cursor
  let scaled = 0
  for (let i = 0; i < values.length; i++) {
    // Nearly every difference is one byte. Calling `takeVarint` for each would take longer than the rest of the loop.
    const byte = bytes[cursor.at]!
    if (byte < 128) {
      cursor.at++
      scaled += unzigzag(byte)
    } else scaled += unzigzag(takeVarint(cursor))
    values[i] = scaled / power
  }
}

const unzigzag = (zigzag: number): number => (zigzag >>> 1) ^ -(zigzag & 1)

function takeFloats(cursor: Cursor, values: Float64Array): void {
  const view = new DataView(cursor.bytes.buffer, cursor.bytes.byteOffset)
  for (let i = 0; i < values.length; i++) values[i] = view.getFloat64(cursor.at + i * 8, true)
}
