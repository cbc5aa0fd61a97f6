const FIRST_SIZE = 1 << 14

/** The position of each entity in a file, in ten bytes per entity, so that millions fit into memory. */
export class LineTable {
  count = 0
  readonly classNames: string[] = []
  readonly #classes = new Map<string, number>()
  readonly #recent = new Map<number, { bytes: Buffer; index: number }>()
  #ids = new Uint32Array(FIRST_SIZE)
  #offsets = new Uint32Array(FIRST_SIZE)
  #classOf = new Uint16Array(FIRST_SIZE)
  #ascending = true
  /** Pairs of row and id, sorted by id. Only for files whose ids do not ascend. */
  #sorted: Uint32Array | null = null

  /**
   * The index of a class by the bytes of its name. To create a string for each entity would take longer than all other
   * work of the scan.
   */
  classIndex(bytes: Buffer, from: number, to: number): number {
    let hash = 0
    for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0
    const known = this.#recent.get(hash)
    if (known !== undefined && known.bytes.length === to - from) {
      let at = 0
      while (at < known.bytes.length && known.bytes[at] === bytes[from + at]) at++
      if (at === known.bytes.length) return known.index
    }
    const name = bytes.toString('latin1', from, to).toUpperCase()
    let index = this.#classes.get(name)
    if (index === undefined) {
      index = this.classNames.push(name) - 1
      this.#classes.set(name, index)
    }
    if (this.#recent.size > 10_000) this.#recent.clear()
    this.#recent.set(hash, { bytes: Buffer.from(bytes.subarray(from, to)), index })
    return index
  }

  add(id: number, offset: number, classIndex: number): void {
    if (this.count === this.#ids.length) this.#grow()
    if (this.count > 0 && id <= this.#ids[this.count - 1]!) this.#ascending = false
    this.#ids[this.count] = id
    this.#offsets[this.count] = offset
    this.#classOf[this.count] = classIndex
    this.count++
  }

  /** Call once after the last `add`. Returns the offset of an entity with a duplicate id, or null. */
  close(): number | null {
    if (this.#ascending) return null
    const keys = new BigUint64Array(this.count)
    const halves = new Uint32Array(keys.buffer)
    for (let row = 0; row < this.count; row++) {
      halves[2 * row] = row
      halves[2 * row + 1] = this.#ids[row]!
    }
    keys.sort()
    this.#sorted = halves
    for (let at = 1; at < this.count; at++)
      if (halves[2 * at + 1] === halves[2 * at - 1]) return this.#offsets[halves[2 * at]!]!
    return null
  }

  rowOf(id: number): number | null {
    let low = 0
    let high = this.count - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const found = this.#sorted === null ? this.#ids[middle]! : this.#sorted[2 * middle + 1]!
      if (found === id) return this.#sorted === null ? middle : this.#sorted[2 * middle]!
      if (found < id) low = middle + 1
      else high = middle - 1
    }
    return null
  }

  idAt(row: number): number {
    return this.#ids[row]!
  }

  offsetAt(row: number): number {
    return this.#offsets[row]!
  }

  classAt(row: number): string {
    return this.classNames[this.#classOf[row]!]!
  }

  /** The rows of the wanted classes, in file order. */
  *rowsOf(wanted: (className: string) => boolean): Generator<number> {
    const wantedClasses = this.classNames.map(wanted)
    for (let row = 0; row < this.count; row++) if (wantedClasses[this.#classOf[row]!]) yield row
  }

  #grow(): void {
    const larger = <A extends Uint32Array | Uint16Array>(array: A, to: A): A => {
      to.set(array)
      return to
    }
    const size = 2 * this.#ids.length
    this.#ids = larger(this.#ids, new Uint32Array(size))
    this.#offsets = larger(this.#offsets, new Uint32Array(size))
    this.#classOf = larger(this.#classOf, new Uint16Array(size))
  }
}
