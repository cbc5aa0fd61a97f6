/** The length of a UUID as text. */
export const UUID_LENGTH = 36
/** How many words of four bytes that is. */
const WORDS = UUID_LENGTH / 4

/**
 * The points of a building by their ids, for a scanner that creates no strings for them: an open hash table over the
 * text of a UUID, which is compared by words of four bytes.
 */
export class PointIndex {
  readonly #mask: number
  readonly #keys: Int32Array
  readonly #numbers: Int32Array
  size = 0

  constructor(points: Iterable<{ id: string; number: number }>, count: number) {
    let capacity = 16
    while (capacity < count * 2) capacity *= 2
    this.#mask = capacity - 1
    this.#keys = new Int32Array(capacity * WORDS)
    this.#numbers = new Int32Array(capacity)
    for (const { id, number } of points) {
      lowerCase.write(id, 0, 'latin1')
      this.#put(lowerCaseView, number)
    }
  }

  #put(view: DataView, number: number): void {
    let slot = hashAt(view, 0) & this.#mask
    while (this.#numbers[slot] !== 0) slot = (slot + 1) & this.#mask
    for (let i = 0; i < WORDS; i++) this.#keys[slot * WORDS + i] = view.getInt32(i * 4, true)
    this.#numbers[slot] = number
    this.size += 1
  }

  /** The number of the point whose id begins at this byte, in either letter case; 0: there is no such point. */
  find(bytes: Uint8Array, at: number): number {
    for (let i = 0; i < UUID_LENGTH; i++) {
      const byte = bytes[at + i]!
      lowerCase[i] = byte >= UPPER_A && byte <= UPPER_F ? byte + TO_LOWER : byte
    }
    return this.findLowerCase(lowerCaseView, 0)
  }

  /** The same for an id in lower case, which is faster. At least 36 bytes must follow. */
  findLowerCase(view: DataView, at: number): number {
    const numbers = this.#numbers
    const keys = this.#keys
    const mask = this.#mask
    for (let slot = hashAt(view, at) & mask; ; slot = (slot + 1) & mask) {
      const number = numbers[slot]!
      if (number === 0) return 0
      const key = slot * WORDS
      if (
        keys[key] === view.getInt32(at, true) &&
        keys[key + 1] === view.getInt32(at + 4, true) &&
        keys[key + 2] === view.getInt32(at + 8, true) &&
        keys[key + 3] === view.getInt32(at + 12, true) &&
        keys[key + 4] === view.getInt32(at + 16, true) &&
        keys[key + 5] === view.getInt32(at + 20, true) &&
        keys[key + 6] === view.getInt32(at + 24, true) &&
        keys[key + 7] === view.getInt32(at + 28, true) &&
        keys[key + 8] === view.getInt32(at + 32, true)
      ) {
        return number
      }
    }
  }
}

const [UPPER_A, UPPER_F, TO_LOWER] = [65, 70, 32]

/** The id that is looked up, in lower case. */
const lowerCase = Buffer.alloc(UUID_LENGTH)
const lowerCaseView = new DataView(lowerCase.buffer, lowerCase.byteOffset, UUID_LENGTH)

/** Some of the words are enough. The lower bits select the slot, so the upper ones are mixed into them. */
function hashAt(view: DataView, at: number): number {
  let hash = Math.imul(view.getInt32(at, true), 0x9e3779b1) ^ view.getInt32(at + 4, true)
  hash = Math.imul(hash, 0x85ebca6b) ^ view.getInt32(at + 28, true)
  hash = Math.imul(hash, 0xc2b2ae35) ^ view.getInt32(at + 32, true)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}
