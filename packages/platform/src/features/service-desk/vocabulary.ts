import { randomInt } from 'node:crypto'
import { createNumbers } from './numbers.ts'

/**
 * Words numbered from 0, each stored once, as bytes outside the heap: a word of nine letters takes about 30 bytes, a
 * fifth of what objects would take. The words can be searched by any part of a word.
 */
export interface Vocabulary {
  /** The number of the word in these bytes. A new word is added. */
  numberOf(text: Uint8Array, from: number, to: number): number
  /** The words that contain this text, each once. A blank at its start or end matches the start or end of a word. */
  wordsContaining(sought: string): number[]
  /** Memory in bytes. */
  bytes(): number
}

/** The size of a block. A block has many words, and no word is longer than a block. */
const BLOCK_BYTES = 1 << 20
const BLANK = 0x20
/** The maximum load factor of the hash table. Above it, the number of slots is doubled. */
const MAX_LOAD = 0.7

export function createVocabulary(): Vocabulary {
  const blocks: Buffer[] = []
  /** The number of the first word in each block. */
  const firsts: number[] = []
  let end = BLOCK_BYTES
  /** The offset of each word from the start of the first block. */
  const starts = createNumbers(Uint32Array)
  let count = 0
  /** The hash table. A slot has the number of a word plus 1; 0 is a free slot. The seed prevents crafted collisions. */
  let slots = new Uint32Array(1024)
  const seed = randomInt(2 ** 32)

  function hashOf(text: Uint8Array, from: number, to: number): number {
    let hash = seed
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ text[i]!, 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    return (hash ^ (hash >>> 13)) >>> 0
  }

  function isWord(word: number, text: Uint8Array, from: number, to: number): boolean {
    const start = starts.get(word)
    const block = blocks[Math.floor(start / BLOCK_BYTES)]!
    const at = (start % BLOCK_BYTES) - from
    for (let i = from; i < to; i++) if (block[at + i] !== text[i]) return false
    return block[at + to] === BLANK
  }

  function add(text: Uint8Array, from: number, to: number): number {
    if (end + to - from + 1 > BLOCK_BYTES) {
      const block = Buffer.alloc(BLOCK_BYTES)
      block[0] = BLANK
      blocks.push(block)
      firsts.push(count)
      end = 1
    }
    const block = blocks.at(-1)!
    starts.set(count, (blocks.length - 1) * BLOCK_BYTES + end)
    block.set(text.subarray(from, to), end)
    end += to - from + 1
    block[end - 1] = BLANK
    count += 1
    return count - 1
  }

  function widen(): void {
    slots = new Uint32Array(slots.length * 2)
    for (let word = 0; word < count; word++) {
      const start = starts.get(word)
      const block = blocks[Math.floor(start / BLOCK_BYTES)]!
      const from = start % BLOCK_BYTES
      let slot = hashOf(block, from, block.indexOf(BLANK, from)) & (slots.length - 1)
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
      slots[slot] = word + 1
    }
  }

  /** The last word that begins at or before a position. */
  function wordAt(place: number, first: number, last: number): number {
    const all = starts.all()
    let [low, high] = [first, last]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (all[middle]! <= place) low = middle
      else high = middle - 1
    }
    return low
  }

  type FindIn = (block: Buffer, base: number, sought: Buffer, first: number, last: number, found: number[]) => void
  const inside: FindIn = (block, base, sought, first, last, found) => {
    let word = first
    for (let at = block.indexOf(sought); at !== -1; at = block.indexOf(sought, starts.get(word) - base)) {
      word = wordAt(base + at, word, last)
      found.push(word)
      if (word === last) return
      // Continue with the next word, so that a word is found once.
      word += 1
    }
  }
  const beginning: FindIn = (block, base, sought, first, last, found) => {
    const all = starts.all()
    const letter = sought[1]
    for (let word = first; word <= last; word++) {
      const at = all[word]! - base - 1
      if (block[at + 1] !== letter) continue
      let same = 2
      while (same < sought.length && block[at + same] === sought[same]) same++
      if (same === sought.length) found.push(word)
    }
  }

  return {
    numberOf(text, from, to) {
      let slot = hashOf(text, from, to) & (slots.length - 1)
      for (; slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
        const word = slots[slot]! - 1
        if (isWord(word, text, from, to)) return word
      }
      const word = add(text, from, to)
      slots[slot] = word + 1
      if (count > slots.length * MAX_LOAD) widen()
      return word
    },
    wordsContaining(sought) {
      const found: number[] = []
      const bytes = Buffer.from(sought)
      // A text that begins with a blank matches only at the start of a word. Blanks are everywhere, so comparing all
      // starts is faster than searching.
      const find = bytes[0] === BLANK ? beginning : inside
      for (const [i, block] of blocks.entries()) {
        find(block, i * BLOCK_BYTES, bytes, firsts[i]!, (firsts[i + 1] ?? count) - 1, found)
      }
      return found
    },
    bytes: () => blocks.length * BLOCK_BYTES + slots.byteLength + starts.all().byteLength,
  }
}
