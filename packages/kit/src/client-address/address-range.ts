import { addressBytes } from './address-bytes.ts'

/** An address, or all addresses with the same first bits. */
export interface AddressRange {
  bytes: Uint8Array
  bits: number
}

/** `10.0.0.0/8`, `2001:db8::/32` or a single address; undefined for any other text. */
export function parseRange(text: string): AddressRange | undefined {
  const match = /^([^/]+?)(?:\/(\d{1,3}))?$/.exec(text.trim())
  const bytes = match && plainBytes(match[1]!)
  if (!bytes) return undefined
  // The prefix length of ::ffff:10.0.0.0/104 includes 96 bits that the IPv4 form does not have.
  const hidden = bytes.length === 4 && match[1]!.includes(':') ? 96 : 0
  const bits = match[2] === undefined ? bytes.length * 8 : Number(match[2]) - hidden
  return bits >= 0 && bits <= bytes.length * 8 ? { bytes, bits } : undefined
}

/** The 4 bytes of an IPv4 address, even if written as ::ffff:a.b.c.d, or the 16 bytes of an IPv6 address. */
export function plainBytes(address: string): Uint8Array | undefined {
  const bytes = addressBytes(address)
  if (bytes === null) return undefined
  return isMapped(bytes) ? bytes.slice(12) : bytes
}

export function isInRange(bytes: Uint8Array, range: AddressRange): boolean {
  if (bytes.length !== range.bytes.length) return false
  const whole = range.bits >> 3
  for (let i = 0; i < whole; i++) if (bytes[i] !== range.bytes[i]) return false
  const left = range.bits & 7
  return left === 0 || (bytes[whole]! ^ range.bytes[whole]!) >> (8 - left) === 0
}

const isMapped = (bytes: Uint8Array): boolean =>
  bytes.length === 16 && bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((byte) => byte === 0)
