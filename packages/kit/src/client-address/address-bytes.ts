import { isIPv4, isIPv6 } from 'node:net'

/** The 4 or 16 bytes of an address; null for any other text, and for an address with a zone. */
export function addressBytes(text: string): Uint8Array | null {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number)
  // A zone such as `%eth0` names a network interface of this machine, so the address is valid only here.
  if (!isIPv6(text) || text.includes('%')) return null
  const [head = '', tail] = text.split('::')
  const before = wordBytes(head)
  const after = tail === undefined ? [] : wordBytes(tail)
  const bytes = new Uint8Array(16)
  bytes.set(before)
  bytes.set(after, 16 - after.length)
  return bytes
}

function wordBytes(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((word) => {
    if (word.includes('.')) return word.split('.').map(Number)
    const value = Number.parseInt(word, 16)
    return [value >> 8, value & 0xff]
  })
}

/** True if two texts name the same address. */
export function sameAddress(one: string, other: string): boolean {
  const [a, b] = [addressBytes(one), addressBytes(other)]
  return a !== null && b !== null && a.length === b.length && a.every((byte, i) => byte === b[i])
}
