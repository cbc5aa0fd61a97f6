import { type AddressRange, addressBytes, isInRange, parseRange } from '../client-address/index.ts'
import { isInAny, isMetadataAddress } from './metadata-hosts.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

export interface AddressRules {
  /** Loopback is accepted. */
  allowLocal: boolean
  /** Private networks, or parts of loopback, that are accepted. */
  allowed?: readonly AddressRange[]
  /** Networks that are always refused. */
  denied?: readonly AddressRange[]
}

/**
 * The networks whose addresses a range can allow, besides loopback. No range allows multicast, unspecified or reserved
 * addresses, or IPv6 addresses that contain an IPv4 address.
 */
const ALLOWABLE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', '198.18.0.0/15', 'fc00::/7'].map(
  (text) => parseRange(text)!,
)
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map((text) => parseRange(text)!)

/**
 * Returns a function that says whether requests are allowed to an address. It always refuses metadata services and
 * denied ranges. Of all other addresses, it accepts public addresses, and private addresses in the allowed ranges.
 * Without `allowLocal`, it accepts a loopback address only if the address is in an allowed range that lies within
 * loopback; a wider range does not count.
 */
export function createAddressRule({ allowLocal, allowed = [], denied = [] }: AddressRules) {
  const loopback = allowed.filter((range) => LOOPBACK.some((whole) => range.bits >= whole.bits && holds(whole, range)))
  return (address: string): boolean => {
    if (addressBytes(address) === null || isMetadataAddress(address) || isInAny(address, denied)) return false
    if (isPublicAddress(address)) return true
    if (isLoopbackAddress(address)) return allowLocal || isPlainlyIn(address, loopback)
    return isPlainlyIn(address, ALLOWABLE) && isPlainlyIn(address, allowed)
  }
}

const holds = (whole: AddressRange, part: AddressRange): boolean => isInRange(part.bytes, whole)

/**
 * Whether one of the ranges contains the address. An IPv4-mapped IPv6 address is in no IPv4 range here, because such an
 * address has no legitimate use.
 */
function isPlainlyIn(address: string, ranges: readonly AddressRange[]): boolean {
  const bytes = addressBytes(address)
  return bytes !== null && ranges.some((range) => isInRange(bytes, range))
}
