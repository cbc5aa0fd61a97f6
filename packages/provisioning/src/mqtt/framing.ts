import { LIMITS } from '@storey/contract'

/** Types of packets: the upper four bits of the first byte. */
export const CONNECT = 1
export const PUBLISH = 3
export const PUBREL = 6
export const SUBSCRIBE = 8
export const UNSUBSCRIBE = 10
export const PINGREQ = 12
export const DISCONNECT = 14

export const typeOf = (firstByte: number): number => firstByte >> 4

/** The maximum number of bytes before the payload: the length of the topic, the topic, and the packet id. */
const BEFORE_PAYLOAD_BYTES = 2 + 65_535 + 2

/**
 * A packet above this size has a payload above the limit, whatever its topic. Such a packet is truncated, so that the
 * message can be refused and acknowledged like any other and takes no more memory than the largest valid one.
 */
export const MAX_PUBLISH_BYTES = LIMITS.bodyBytes + BEFORE_PAYLOAD_BYTES

/** How many bytes of a truncated packet are kept: its topic, and at least one byte of payload. */
export const CLIPPED_PUBLISH_BYTES = BEFORE_PAYLOAD_BYTES + 1

/** Encodes the length of a packet (variable byte integer). */
export function lengthDigits(length: number): number[] {
  const digits = []
  for (let left = length; digits.length === 0 || left > 0; left = Math.floor(left / 128)) {
    digits.push((left % 128) | (left >= 128 ? 128 : 0))
  }
  return digits
}

/** Decodes the length of a packet. */
export const lengthOf = (digits: readonly number[]): number =>
  digits.reduce((sum, digit, i) => sum + (digit & 127) * 128 ** i, 0)
