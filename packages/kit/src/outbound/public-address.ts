import { addressBytes } from '../client-address/index.ts'

/**
 * Only public unicast addresses are accepted. The ranges of IANA's special-purpose registries are refused, even those
 * that are routable. The exceptions are 192.31.196.0/24, 192.52.193.0/24, 192.175.48.0/24 and 2620:4f:8000::/48: they
 * belong to public services (AS112, AMT), and are accepted.
 */
export function isPublicAddress(address: string): boolean {
  const bytes = addressBytes(address)
  if (bytes === null) return false
  return bytes.length === 4 ? isPublicV4(bytes) : isPublicV6(bytes)
}

/** 127/8 and ::1. The IPv4-mapped form of 127/8 does not count, because it has no legitimate use. */
export function isLoopbackAddress(address: string): boolean {
  const bytes = addressBytes(address)
  if (bytes === null) return false
  if (bytes.length === 4) return bytes[0] === 127
  return bytes.every((byte, i) => byte === (i === 15 ? 1 : 0))
}

function isPublicV4(bytes: Uint8Array): boolean {
  const [a, b, c] = bytes as unknown as [number, number, number]
  switch (a) {
    case 0: // this network
    case 10: // private
    case 127: // loopback
      return false
    case 100: // 100.64/10, CGNAT
      return (b & 0xc0) !== 0x40
    case 169: // 169.254/16, link-local: metadata services of clouds are here
      return b !== 254
    case 172: // 172.16/12, private
      return (b & 0xf0) !== 0x10
    case 192:
      if (b === 0) return c !== 0 && c !== 2 // protocol assignments, documentation
      if (b === 88) return c !== 99 // relays of 6to4
      return b !== 168 // private
    case 198:
      if (b === 51) return c !== 100 // documentation
      return (b & 0xfe) !== 18 // 198.18/15, benchmarks
    case 203:
      return !(b === 0 && c === 113) // documentation
    default:
      return a < 224 // above: multicast, reserved, broadcast
  }
}

/**
 * 2000::/3 is all global unicast space. Loopback, link-local, unique local, multicast, mapped and translated (64:ff9b)
 * addresses are outside of it. An IPv6 address that contains an IPv4 address is always refused, because it could bypass
 * a rule for the plain form.
 */
function isPublicV6(bytes: Uint8Array): boolean {
  const word = (i: number) => (bytes[i * 2]! << 8) | bytes[i * 2 + 1]!
  const first = word(0)
  if (first >> 13 !== 0b001) return false
  if (first === 0x2001 && word(1) < 0x0200) return false // 2001::/23, protocols: Teredo, benchmarks, ORCHID
  if (first === 0x2001 && word(1) === 0x0db8) return false // documentation
  if (first === 0x2002) return false // 6to4, contains an IPv4 address
  if (first === 0x3fff && word(1) < 0x1000) return false // 3fff::/20, documentation
  // ISATAP contains an IPv4 address in the second half, with any prefix.
  return !((word(4) & 0xfdff) === 0 && word(5) === 0x5efe)
}
