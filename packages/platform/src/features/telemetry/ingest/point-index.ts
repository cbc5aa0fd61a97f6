/** The length of a UUID as text. */
export const UUID_LENGTH = 36
/**
 * An id is compared as four doubles and one word of four bytes. The bytes of an id never form a NaN or a zero, so equal
 * doubles have equal bytes.
 */
const PARTS = 5

/**
 * The points of a building by their ids: a hash table with open addressing, whose keys are the bytes of UUIDs as text.
 * So a scanner need not create strings for the ids. Requests mostly list the same points in the same order, so the ids
 * are stored in the order in which they were first found, and the id after the last one found is tried first. This
 * needs no hash, and memory is read in sequence.
 */
export class PointIndex {
  readonly #mask: number
  /** For each slot: the place of its id plus 1, or 0 if the slot is empty. */
  readonly #slots: Int32Array
  /**
   * By place: the parts of the id, the number of the point, and the slot. After the last id there is an extra place,
   * which matches no id.
   */
  readonly #keys: Float64Array
  readonly #numbers: Int32Array
  readonly #slotOf: Int32Array
  /** By place: 1 if the id was found by its hash. Such an id stays at its place. */
  readonly #isFound: Uint8Array
  /** The place that is tried first. */
  #next = 0
  size = 0

  constructor(points: Iterable<{ id: string; number: number }>, count: number) {
    let capacity = 16
    while (capacity < count * 2) capacity *= 2
    this.#mask = capacity - 1
    this.#slots = new Int32Array(capacity)
    this.#keys = new Float64Array((count + 1) * PARTS).fill(Number.NaN)
    this.#numbers = new Int32Array(count + 1)
    this.#slotOf = new Int32Array(count + 1)
    this.#isFound = new Uint8Array(count + 1)
    for (const { id, number } of points) {
      lowerCase.write(id, 0, 'latin1')
      this.#put(lowerCaseView, number)
    }
  }

  #put(view: DataView, number: number): void {
    let slot = hashAt(view, 0) & this.#mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
    const place = this.size++
    this.#slots[slot] = place + 1
    this.#slotOf[place] = slot
    this.#numbers[place] = number
    const key = place * PARTS
    for (let i = 0; i < 4; i++) this.#keys[key + i] = view.getFloat64(i * 8, true)
    this.#keys[key + 4] = view.getInt32(32, true)
  }

  /** The number of the point whose id begins at this byte, in either letter case; 0: there is no such point. */
  find(bytes: Uint8Array, at: number): number {
    for (let i = 0; i < UUID_LENGTH; i++) {
      const byte = bytes[at + i]!
      lowerCase[i] = byte >= UPPER_A && byte <= UPPER_F ? byte + TO_LOWER : byte
    }
    return this.findLowerCase(lowerCaseView, 0)
  }

  /** Like `find`, but faster, and only for an id in lower case. There must be at least 36 bytes from `at` on. */
  findLowerCase(view: DataView, at: number): number {
    const place = this.#next
    if (!this.#isAt(place, view, at)) return this.#search(view, at)
    this.#next = place + 1
    return this.#numbers[place]!
  }

  #search(view: DataView, at: number): number {
    const mask = this.#mask
    for (let slot = hashAt(view, at) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1
      if (place < 0) return 0
      if (this.#isAt(place, view, at)) return this.#found(place)
    }
  }

  /** Whether the id at this place is the one that begins at this byte. */
  #isAt(place: number, view: DataView, at: number): boolean {
    const keys = this.#keys
    const key = place * PARTS
    return (
      keys[key] === view.getFloat64(at, true) &&
      keys[key + 1] === view.getFloat64(at + 8, true) &&
      keys[key + 2] === view.getFloat64(at + 16, true) &&
      keys[key + 3] === view.getFloat64(at + 24, true) &&
      keys[key + 4] === view.getInt32(at + 32, true)
    )
  }

  /**
   * An id that is found by its hash for the first time moves to the place after the id that was found before it, unless
   * the id at that place was found by its hash already.
   */
  #found(place: number): number {
    const expected = this.#next
    const moves = this.#isFound[place] === 0 && expected < this.size && this.#isFound[expected] === 0
    const at = moves ? expected : place
    if (at !== place) this.#swap(place, at)
    this.#isFound[at] = 1
    this.#next = at + 1
    return this.#numbers[at]!
  }

  #swap(a: number, b: number): void {
    swap(this.#numbers, a, b)
    swap(this.#slotOf, a, b)
    for (let i = 0; i < PARTS; i++) swap(this.#keys, a * PARTS + i, b * PARTS + i)
    this.#slots[this.#slotOf[a]!] = a + 1
    this.#slots[this.#slotOf[b]!] = b + 1
  }
}

function swap(array: Int32Array | Float64Array, a: number, b: number): void {
  const value = array[a]!
  array[a] = array[b]!
  array[b] = value
}

const [UPPER_A, UPPER_F, TO_LOWER] = [65, 70, 32]

/** The id that is looked up, in lower case. */
const lowerCase = Buffer.alloc(UUID_LENGTH)
const lowerCaseView = new DataView(lowerCase.buffer, lowerCase.byteOffset, UUID_LENGTH)

/**
 * A hash of four of the nine words of an id. The lower bits of the hash select the slot, so the upper bits are mixed
 * into them.
 */
function hashAt(view: DataView, at: number): number {
  let hash = Math.imul(view.getInt32(at, true), 0x9e3779b1) ^ view.getInt32(at + 4, true)
  hash = Math.imul(hash, 0x85ebca6b) ^ view.getInt32(at + 28, true)
  hash = Math.imul(hash, 0xc2b2ae35) ^ view.getInt32(at + 32, true)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}
