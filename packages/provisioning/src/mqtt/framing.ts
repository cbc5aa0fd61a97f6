import { LIMITS } from '@storey/contract'

export const PUBLISH = 3

/** A topic with its length, and the number of the message. */
const BEFORE_PAYLOAD_BYTES = 2 + 65_535 + 2

/**
 * A packet above this has a payload above the limit, whatever its topic. It is cut short, and so can be refused like any
 * other message, with an acknowledgement, and takes no more memory than the largest good one.
 */
export const MAX_PUBLISH_BYTES = LIMITS.bodyBytes + BEFORE_PAYLOAD_BYTES

/** What is kept of such a packet where its length is known otherwise: its topic, and something behind it. */
export const CLIPPED_PUBLISH_BYTES = BEFORE_PAYLOAD_BYTES + 1

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
