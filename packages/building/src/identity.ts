import { hash128 } from './random/hash.ts'

const IFC_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$'

/**
 * The id of a node: an RFC 9562 version 8 UUID that is computed from a scope (a sandbox and its seed) and the node's
 * key, so that all ids are the same again after a reset.
 */
export function nodeId(scope: string, key: string): string {
  const words = hash128(`node\u0000${scope}\u0000${key}`)
  words[1] = (words[1]! & 0xffff0fff) | 0x8000
  words[2] = (words[2]! & 0x3fffffff) | 0x80000000
  const hex = Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The IFC GlobalId of a node: 128 bits in IFC's base 64. The first of its 22 characters holds only two bits. */
export function globalId(seed: string, key: string): string {
  const words = hash128(`ifc\u0000${seed}\u0000${key}`)
  let id = ''
  // 22 digits of 6 bits are 132 bits, so four zero bits are prepended to the 128.
  for (let digit = 0; digit < 22; digit++) {
    let value = 0
    for (let bit = digit * 6 - 4; bit < digit * 6 + 2; bit++) {
      value = (value << 1) | (bit < 0 ? 0 : (words[bit >> 5]! >>> (31 - (bit & 31))) & 1)
    }
    id += IFC_ALPHABET[value]
  }
  return id
}
