import { type AddressRange, addressBytes, isInRange, parseRange } from '../client-address/index.ts'
import { isInAny, isMetadataAddress } from './metadata-hosts.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

export interface AddressRules {
  /** Loopback is accepted. */
  allowLocal: boolean
  /** Networks that are not public and accepted all the same. */
  allowed?: readonly AddressRange[]
  /** Refused, whatever else accepts them. */
  denied?: readonly AddressRange[]
}

/** What a range can open: networks of machines. No range opens multicast, unspecified, reserved or wrapped addresses. */
const OPENABLE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', '198.18.0.0/15', 'fc00::/7'].map(
  (text) => parseRange(text)!,
)
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map((text) => parseRange(text)!)

/**
 * Metadata services are refused first and always. Then what the operator denies, then what is public, then what the
 * operator allows. Loopback is opened by a range of loopback alone, never by a wide one that happens to hold it.
 */
export function createAddressRule({ allowLocal, allowed = [], denied = [] }: AddressRules) {
  const loopback = allowed.filter((range) => LOOPBACK.some((whole) => range.bits >= whole.bits && holds(whole, range)))
  return (address: string): boolean => {
    if (addressBytes(address) === null || isMetadataAddress(address) || isInAny(address, denied)) return false
    if (isPublicAddress(address)) return true
    if (isLoopbackAddress(address)) return allowLocal || isPlainlyIn(address, loopback)
    return isPlainlyIn(address, OPENABLE) && isPlainlyIn(address, allowed)
  }
}

const holds = (whole: AddressRange, part: AddressRange): boolean => isInRange(part.bytes, whole)

/** The mapped spelling of an IPv4 address is none of it: it is another way to an address that has a plain one. */
function isPlainlyIn(address: string, ranges: readonly AddressRange[]): boolean {
  const bytes = addressBytes(address)
  return bytes !== null && ranges.some((range) => isInRange(bytes, range))
}
