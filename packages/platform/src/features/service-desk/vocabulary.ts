import { isUnspaced } from './search-words.ts'

/** Words by numbers from 0, each kept once. They are found by any part of them, in long texts of many. */
export interface Vocabulary {
  numberOf(word: string): number
  /** The words in which a term stands, each once. */
  holding(term: string): number[]
}

const BLOCK_WORDS = 4096
/** Before each word. */
const EDGE = '\n'
/** A shorter term stands in so many words that only their beginnings count. */
const LEAST_INSIDE = 3

export function createVocabulary(): Vocabulary {
  const numbers = new Map<string, number>()
  const blocks: Block[] = []
  let open: string[] = []
  return {
    numberOf(word) {
      const known = numbers.get(word)
      if (known !== undefined) return known
      const number = numbers.size
      // V8 makes a copy of a short part by itself.
      const own = word.length < 13 ? word : standingAlone(word)
      numbers.set(own, number)
      open.push(own)
      if (open.length === BLOCK_WORDS) {
        blocks.push(sealed(open))
        open = []
      }
      return number
    },
    holding(term) {
      const found: number[] = []
      const sought = isShort(term) ? EDGE + term : term
      for (const [i, block] of blocks.entries()) findIn(block, sought, i * BLOCK_WORDS, found)
      const first = blocks.length * BLOCK_WORDS
      for (const [i, word] of open.entries()) if ((EDGE + word).includes(sought)) found.push(first + i)
      return found
    },
  }
}

/** Two characters of a script without spaces are a word; of the others they are next to nothing. */
function isShort(term: string): boolean {
  return !isUnspaced(term) && [...term].length < LEAST_INSIDE
}

/** Copied: a part of a text keeps the whole of it in memory, and what was joined is a tree of its parts. */
const standingAlone = (text: string) => Buffer.from(text, 'utf16le').toString('utf16le')

interface Block {
  text: string
  /** Where the edge of each word is. */
  edges: Uint32Array
}

function sealed(words: readonly string[]): Block {
  const edges = new Uint32Array(words.length)
  let at = 0
  for (const [i, word] of words.entries()) {
    edges[i] = at
    at += word.length + 1
  }
  return { text: standingAlone(words.map((word) => EDGE + word).join('')), edges }
}

/** After a match the search goes on in the next word. */
function findIn({ text, edges }: Block, sought: string, first: number, found: number[]): void {
  for (let at = text.indexOf(sought); at !== -1; ) {
    const i = wordAt(edges, at)
    found.push(first + i)
    const next = edges[i + 1]
    at = next === undefined ? -1 : text.indexOf(sought, next)
  }
}

function wordAt(edges: Uint32Array, at: number): number {
  let [low, high] = [0, edges.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (edges[middle]! <= at) low = middle
    else high = middle - 1
  }
  return low
}
