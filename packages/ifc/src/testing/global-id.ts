import { createHash } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$'

/** A GlobalId that is always the same for the same text. */
export function globalIdFor(...words: string[]): string {
  const bytes = createHash('sha256').update(words.join('/')).digest()
  return Array.from(bytes.subarray(0, 22), (byte, at) => ALPHABET[at === 0 ? byte & 3 : byte & 63]).join('')
}
