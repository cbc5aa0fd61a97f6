import { discardBuffer, takeBuffer } from './body-pool.ts'

const FIRST_BLOCK_BYTES = 64 * 1024
const MAX_BLOCK_BYTES = 1024 * 1024

/**
 * Collects the bytes of a body whose length was announced. It takes memory for what has arrived, and not for what was
 * announced: a client can announce much, send little and disconnect, as often as it likes.
 */
export class ByteCollector {
  readonly #length: number
  #blocks: Buffer[] = []
  /** The bytes in all blocks together, and how many of them are filled. */
  #capacity = 0
  #arrived = 0

  constructor(length: number) {
    this.#length = length
  }

  /** How many bytes were announced. */
  get length(): number {
    return this.#length
  }

  /** How many bytes have arrived. */
  get arrived(): number {
    return this.#arrived
  }

  /** A copy of the bytes that have arrived. */
  arrivedBytes(): Buffer {
    return Buffer.concat(this.#blocks, this.#arrived)
  }

  /** Copies the bytes. The caller must not add more bytes than were announced. */
  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#arrived === this.#capacity) this.#grow()
      const block = this.#blocks.at(-1)!
      const copied = bytes.copy(block, block.length - (this.#capacity - this.#arrived), at)
      this.#arrived += copied
      at += copied
    }
  }

  /** Returns all bytes. Call this once, after all of them have arrived, and release the buffer afterwards. */
  take(): Buffer {
    const [only = takeBuffer(this.#length)] = this.#blocks
    if (only.length === this.#length) return only
    const whole = takeBuffer(this.#length)
    let at = 0
    for (const block of this.#blocks) at += block.copy(whole, at)
    this.drop()
    return whole
  }

  /** Frees the memory of what has arrived. */
  drop(): void {
    for (const block of this.#blocks) discardBuffer(block)
    this.#blocks = []
    this.#capacity = this.#arrived
  }

  #grow(): void {
    const wanted = Math.min(Math.max(this.#arrived, FIRST_BLOCK_BYTES), MAX_BLOCK_BYTES, this.#length - this.#arrived)
    this.#blocks.push(takeBuffer(wanted))
    this.#capacity += wanted
  }
}
