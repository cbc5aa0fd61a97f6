import { hash128 } from './hash.ts'

/**
 * A stream of random numbers. It depends only on the seed and the stream's name, so that each part of a building has
 * numbers that do not depend on other parts.
 */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** In [low, high). */
  between(low: number, high: number): number
  /** An integer, both ends included. */
  int(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
}

/** sfc32, seeded with the 128-bit hash of the seed and the stream's name. */
export function randomFor(seed: string, stream: string): Random {
  const state = hash128(`${seed}\u0000${stream}`)
  let a = state[0]! | 0
  let b = state[1]! | 0
  let c = state[2]! | 0
  let counter = state[3]! | 0

  function next(): number {
    const t = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    c |= 0
    return (t >>> 0) / 4294967296
  }

  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    int,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick: (items) => items[int(0, items.length - 1)]!,
    shuffle(items) {
      const shuffled = [...items]
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = int(0, i)
        const kept = shuffled[i]!
        shuffled[i] = shuffled[j]!
        shuffled[j] = kept
      }
      return shuffled
    },
  }
}
