import { type AddressRange, isInRange, parseRange, plainBytes } from '../client-address/index.ts'

/**
 * The documented metadata services of clouds, which give a machine its credentials. Some are in public ranges and some
 * in ranges that an operator may allow, so they are listed here and always refused.
 */
const ADDRESSES = [
  '169.254.0.0/16', // AWS, Google, Azure, Oracle, DigitalOcean, OpenStack, Tencent, Scaleway and others
  '168.63.129.16', // Azure, the service of a machine's host; the address is in a public range
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle, the older service
  '192.80.8.124', // Equinix Metal; the address is in a public range
  'fd00:ec2::/32', // AWS
  'fd20:ce::254', // Google
  'fd00:c1::a9fe:a9fe', // Oracle
  'fd00:42::42', // Scaleway
  'fe80::/10', // OpenStack and others
].map((text) => parseRange(text)!)

const NAMES = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.azure.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
  'metadata.oraclecloud.com',
])

export function isMetadataAddress(address: string): boolean {
  return isInAny(address, ADDRESSES)
}

/**
 * Whether a name belongs to a metadata service. The name must be in lower case and without its final dot, like the
 * `hostname` of a `Target` (`target.ts`).
 */
export function isMetadataName(hostname: string): boolean {
  return NAMES.has(hostname)
}

/** True if any range contains the address. An IPv4 address in mapped form counts as IPv4. */
export function isInAny(address: string, ranges: readonly AddressRange[]): boolean {
  const bytes = plainBytes(address)
  return bytes !== undefined && ranges.some((range) => isInRange(bytes, range))
}
