import { noteUsed } from '@storey/kit/collect-garbage'

const HEAD = '{"data":['
const INSTANT = '0000-00-00T00:00:00.000Z'
const TAIL = `],"asOf":"${INSTANT}"}`
const INSTANT_FROM_END = INSTANT.length + 2

/**
 * The response with the last values of a building. Its bytes are sent again and again with another `asOf`, which is
 * written into them. For 5,000 points they are 1.3 MB, and copying them for each response takes longer than sending
 * them.
 */
export class LatestBody {
  readonly #bytes: Buffer
  /** How many responses have not been sent completely. Responses with a copy of the bytes count too. */
  #users = 0

  /** The rows as JSON text, without brackets. */
  constructor(rows: string) {
    this.#bytes = Buffer.from(HEAD + rows + TAIL)
    noteUsed(this.#bytes.length)
  }

  /** The bytes for one response. They stay unchanged until `release` is called. */
  use(asOf: Date): { bytes: Buffer; release(): void } {
    // While a response to a client that reads slowly still needs the bytes as they are, another response gets a copy.
    const bytes = this.#users > 0 ? Buffer.from(this.#bytes) : this.#bytes.subarray()
    bytes.write(asOf.toISOString(), bytes.length - INSTANT_FROM_END, 'latin1')
    let isUsed = true
    this.#users++
    const release = () => {
      if (isUsed) this.#users--
      isUsed = false
    }
    return { bytes, release }
  }
}
