import { LIMITS } from '@storey/contract'

const LITERAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/
/** With up to this many digits, both the digits and the power of ten are integers that a double holds exactly. */
export const MAX_EXACT_DIGITS = 15
export const POWERS = Float64Array.from({ length: 23 }, (_, i) => 10 ** i)

const [ZERO, NINE, POINT, MINUS] = [48, 57, 46, 45]

/**
 * The number of a value, if the value is a finite decimal or exponent literal; NaN for any other text. A decimal of up
 * to fifteen digits, or a safe integer of sixteen digits, is read here with the same result as `Number`: a double holds
 * both the digits and the power of ten exactly, and the division rounds only once.
 */
export function readNumber(bytes: Buffer, from: number, to: number): number {
  const isNegative = bytes[from] === MINUS
  let at = isNegative ? from + 1 : from
  if (to - at > 16 || at === to) return readRest(bytes, from, to)
  let digits = 0
  let decimals = -1
  const first = at
  for (; at < to; at++) {
    const byte = bytes[at]!
    if (byte >= ZERO && byte <= NINE) {
      digits = digits * 10 + (byte - ZERO)
      if (decimals >= 0) decimals++
    } else if (byte === POINT && decimals < 0 && at > first) decimals = 0
    else return readRest(bytes, from, to)
  }
  const value = decimals > 0 ? digits / POWERS[decimals]! : digits
  if (digits > Number.MAX_SAFE_INTEGER) return readRest(bytes, from, to)
  return isNegative ? -value : value
}

function readRest(bytes: Buffer, from: number, to: number): number {
  if (to - from > LIMITS.observation.valueLength) return Number.NaN
  const text = bytes.toString('latin1', from, to)
  const value = LITERAL.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : Number.NaN
}
