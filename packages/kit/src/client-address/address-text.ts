import { plainBytes } from './address-range.ts'

/** The canonical form of an address: IPv4 if possible, IPv6 compressed and without a zone; undefined for other text. */
export function canonicalAddress(text: string): string | undefined {
  const bytes = plainBytes(text.replace(/%.*$/s, ''))
  return bytes && addressText(bytes)
}

/** Writes an address in the form of RFC 5952. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const words = Array.from({ length: 8 }, (_, i) => ((bytes[i * 2]! << 8) | bytes[i * 2 + 1]!).toString(16))
  // Two colons replace the longest run of two or more zero groups, or the first of equally long runs.
  const runs = [
    ...words
      .map((word) => (word === '0' ? '0' : '-'))
      .join('')
      .matchAll(/0{2,}/g),
  ]
  const longest = runs.sort((a, b) => b[0].length - a[0].length || a.index - b.index)[0]
  if (!longest) return words.join(':')
  const after = words.slice(longest.index + longest[0].length)
  return `${words.slice(0, longest.index).join(':')}::${after.join(':')}`
}

const PREFIX_BYTES = 8

/**
 * The text by which limits identify a client: an IPv4 address, or the /64 network of an IPv6 address. Other text is
 * returned unchanged.
 */
export function addressGroup(address: string): string {
  const bytes = plainBytes(address.replace(/%.*$/s, ''))
  if (!bytes) return address
  if (bytes.length === 4) return addressText(bytes)
  return `${addressText(bytes.map((byte, i) => (i < PREFIX_BYTES ? byte : 0)))}/64`
}

const NETWORK_BYTES = 6

/** The /48 network of an IPv6 group, since a provider may assign a /48 to one customer; undefined for other text. */
export function addressNetwork(group: string): string | undefined {
  const bytes = plainBytes(group.replace(/\/64$/, ''))
  if (!bytes || bytes.length === 4) return undefined
  return `${addressText(bytes.map((byte, i) => (i < NETWORK_BYTES ? byte : 0)))}/48`
}
