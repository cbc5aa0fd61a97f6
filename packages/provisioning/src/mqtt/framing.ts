import { LIMITS } from '@storey/contract'

export const PUBLISH = 3

/**
 * A packet above this has a payload above the limit, whatever its topic. It is cut short, one byte above: so it can be
 * refused like any other message, with an acknowledgement, and takes no more memory than the largest good one.
 */
export const MAX_PUBLISH_BYTES = LIMITS.bodyBytes + 2 + 65_535 + 2

/** The length of a packet, as its header has it. */
export function lengthDigits(length: number): number[] {
  const digits = []
  for (let left = length; digits.length === 0 || left > 0; left = Math.floor(left / 128)) {
    digits.push((left % 128) | (left >= 128 ? 128 : 0))
  }
  return digits
}

/** The length that these digits say. */
export const lengthOf = (digits: readonly number[]): number =>
  digits.reduce((sum, digit, i) => sum + (digit & 127) * 128 ** i, 0)
