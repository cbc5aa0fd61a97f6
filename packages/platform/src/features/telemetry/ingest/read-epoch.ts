/** The unit of timestamps in line protocol. */
export type Precision = 'ns' | 'us' | 'ms' | 's'

/** The number of digits below a millisecond. */
export const DIGITS_BELOW: Record<Precision, number> = { ns: 6, us: 3, ms: 0, s: 0 }
/** A signed 64-bit integer has at most 19 digits. */
export const MAX_DIGITS = 19

/**
 * Reads a whole number in the unit of `precision` as milliseconds since the epoch; NaN if the bytes are not a whole
 * number. Nanoseconds have more digits than a double holds, so only the digits down to the millisecond are converted to
 * a number.
 */
export function readEpoch(bytes: Uint8Array, from: number, to: number, precision: Precision): number {
  const isNegative = bytes[from] === 45
  const first = isNegative ? from + 1 : from
  if (to === first || to - first > MAX_DIGITS) return Number.NaN
  const cut = to - DIGITS_BELOW[precision]
  let value = 0
  let isCut = false
  for (let at = first; at < to; at++) {
    const digit = bytes[at]! - 48
    if (digit < 0 || digit > 9) return Number.NaN
    if (at < cut) value = value * 10 + digit
    else if (digit !== 0) isCut = true
  }
  const ms = precision === 's' ? value * 1000 : value
  // Times before the epoch are rounded down too.
  return isNegative ? -ms - (isCut ? 1 : 0) : ms
}
