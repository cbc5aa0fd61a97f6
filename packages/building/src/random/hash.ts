/**
 * A 128-bit hash like MurmurHash3, over the UTF-16 code units of a text. Seeds and ids need a uniform and fast hash,
 * not a cryptographic one, and integer arithmetic gives the same bits in Node and in every browser.
 */
export function hash128(text: string): Uint32Array {
  let h1 = 0
  let h2 = 0
  let h3 = 0
  let h4 = 0
  for (let at = 0; at < text.length; at += 8) {
    h1 = mix(h1, pair(text, at), 0x239b961b, 0xab0e9789, 15, 19, h2, 0x561ccd1b)
    h2 = mix(h2, pair(text, at + 2), 0xab0e9789, 0x38b34ae5, 16, 17, h3, 0x0bcaa747)
    h3 = mix(h3, pair(text, at + 4), 0x38b34ae5, 0xa1e38b93, 17, 15, h4, 0x96cd1c35)
    h4 = mix(h4, pair(text, at + 6), 0xa1e38b93, 0x239b961b, 18, 13, h1, 0x32ac3b17)
  }
  const length = text.length * 2
  h1 ^= length
  h2 ^= length
  h3 ^= length
  h4 ^= length
  h1 = (h1 + h2 + h3 + h4) | 0
  h2 = (h2 + h1) | 0
  h3 = (h3 + h1) | 0
  h4 = (h4 + h1) | 0
  h1 = avalanche(h1)
  h2 = avalanche(h2)
  h3 = avalanche(h3)
  h4 = avalanche(h4)
  h1 = (h1 + h2 + h3 + h4) | 0
  h2 = (h2 + h1) | 0
  h3 = (h3 + h1) | 0
  h4 = (h4 + h1) | 0
  return Uint32Array.of(h1, h2, h3, h4)
}

/** Two code units as one word; zero after the end of the text. The hash includes the length, so padding is harmless. */
function pair(text: string, at: number): number {
  const low = at < text.length ? text.charCodeAt(at) : 0
  const high = at + 1 < text.length ? text.charCodeAt(at + 1) : 0
  return low | (high << 16)
}

function mix(
  hash: number,
  word: number,
  first: number,
  second: number,
  rotateWord: number,
  rotateHash: number,
  next: number,
  constant: number,
): number {
  const scrambled = Math.imul(rotate(Math.imul(word, first), rotateWord), second)
  return (Math.imul((rotate(hash ^ scrambled, rotateHash) + next) | 0, 5) + constant) | 0
}

const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by))

function avalanche(value: number): number {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
