/** An external id of a point, and the number of the point. */
export interface NamedPoint {
  sourceSystem: string
  externalId: string
  number: number
}

/** Replaces the number of a point if another point has the same name: neither point is found by that name. */
const AMBIGUOUS = -1

/**
 * Finds a point of a building by its name, which is `sourceSystem:externalId` here. The index is a hash table with open
 * addressing over the bytes of the names, so a scanner needs no strings. One buffer has all names, one after another.
 */
export class ExternalIdIndex {
  readonly #mask: number
  readonly #names: Buffer
  /** Where each name ends. A name begins where the name before it ends. */
  readonly #ends: Int32Array
  readonly #numbers: Int32Array
  /** For each slot: the index of its name plus 1, or 0 if the slot is free. */
  readonly #slots: Int32Array
  /** For each slot: the hash of its name. */
  readonly #hashes: Int32Array

  constructor(points: readonly NamedPoint[]) {
    let capacity = 16
    while (capacity < points.length * 2) capacity *= 2
    this.#mask = capacity - 1
    this.#slots = new Int32Array(capacity)
    this.#hashes = new Int32Array(capacity)
    this.#names = Buffer.from(points.map(({ sourceSystem, externalId }) => `${sourceSystem}:${externalId}`).join(''))
    this.#ends = new Int32Array(points.length)
    this.#numbers = Int32Array.from(points, ({ number }) => number)
    let end = 0
    for (const [i, { sourceSystem, externalId }] of points.entries()) {
      const start = end
      end += Buffer.byteLength(sourceSystem) + 1 + Buffer.byteLength(externalId)
      this.#ends[i] = end
      this.#put(i, start, end)
    }
  }

  /** The number of the point whose name is in these bytes; 0 if no point or more than one point has this name. */
  find(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashOf(bytes, from, to)
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const name = this.#slots[slot]! - 1
      if (name < 0) return 0
      if (this.#hashes[slot] === hash && this.#isName(name, bytes, from, to)) return Math.max(0, this.#numbers[name]!)
    }
  }

  #put(i: number, start: number, end: number): void {
    const hash = hashOf(this.#names, start, end)
    let slot = hash & this.#mask
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & this.#mask) {
      const other = this.#slots[slot]! - 1
      if (this.#hashes[slot] !== hash || !this.#isName(other, this.#names, start, end)) continue
      // Two points can have the same name: `a:b` with `c` reads like `a` with `b:c`.
      if (this.#numbers[other] !== this.#numbers[i]) this.#numbers[other] = AMBIGUOUS
      return
    }
    this.#slots[slot] = i + 1
    this.#hashes[slot] = hash
  }

  #isName(name: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = name === 0 ? 0 : this.#ends[name - 1]!
    if (this.#ends[name]! - start !== to - from) return false
    const names = this.#names
    for (let i = 0; i < to - from; i++) if (names[start + i] !== bytes[from + i]) return false
    return true
  }
}

/** FNV-1a, with a last step that mixes the upper bits into the lower bits, because the lower bits select the slot. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5 | 0
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash ^ (hash >>> 15)
}
