/** What is kept of an answer; its lists are counted beyond that. */
const MAX_KEPT_BYTES = 32 * 1024

const [TAB, LF, CR, SPACE, QUOTE, COMMA, BACKSLASH] = [9, 10, 13, 32, 34, 44, 92]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/** The beginning of an object, and how long those of its lists are that do not end within it. */
export interface ReadAnswer {
  /** Undefined when the answer is no JSON object. */
  object: Record<string, unknown> | undefined
  /** How many entries a list has in all, by its name. */
  counts: Map<string, number>
}

/**
 * Reads an answer of any length in little memory: keeps its beginning, cut behind a whole entry, and counts the entries
 * of its lists to their end.
 */
export class AnswerReader {
  #kept: Buffer[] = []
  #keptBytes = 0
  #at = 0
  #depth = 0
  #inString = false
  #isEscaped = false
  #isList = false
  #stringFrom = 0
  #name: [from: number, to: number] = [0, 0]
  #entries = 0
  /** Where the kept part can end, and what closes it there. */
  #cut: { at: number; close: string } | undefined
  readonly #lists: { name: [number, number]; entries: number }[] = []

  feed(chunk: Buffer): void {
    if (this.#keptBytes < MAX_KEPT_BYTES) {
      const kept = chunk.subarray(0, MAX_KEPT_BYTES - this.#keptBytes)
      this.#kept.push(Buffer.from(kept))
      this.#keptBytes += kept.length
    }
    for (const byte of chunk) {
      this.#step(byte)
      this.#at++
    }
  }

  #step(byte: number): void {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) {
        this.#inString = false
        if (this.#depth === 1 && !this.#isValue) this.#name = [this.#stringFrom, this.#at + 1]
      }
      return
    }
    if (byte === SPACE || byte === TAB || byte === LF || byte === CR) return
    if (this.#depth === 2 && this.#isList && byte !== CLOSE_LIST && byte !== COMMA && this.#entries === 0) {
      this.#entries = 1
    }
    if (byte === QUOTE) {
      this.#inString = true
      this.#stringFrom = this.#at
    } else if (byte === COMMA) this.#comma()
    else if (byte === 58) this.#isValue = this.#depth === 1 || this.#isValue
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.#depth++
      if (this.#depth !== 2) return
      this.#isList = byte === OPEN_LIST
      this.#entries = 0
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (this.#depth === 2 && this.#isList) this.#lists.push({ name: this.#name, entries: this.#entries })
      this.#depth--
    }
  }

  #isValue = false

  #comma(): void {
    const isEntry = this.#depth === 2 && this.#isList
    if (isEntry) this.#entries++
    if (this.#depth === 1) this.#isValue = false
    if ((!isEntry && this.#depth !== 1) || this.#at >= MAX_KEPT_BYTES) return
    this.#cut = { at: this.#at, close: isEntry ? ']}' : '}' }
  }

  read(): ReadAnswer {
    const kept = Buffer.concat(this.#kept)
    const counts = new Map<string, number>()
    for (const { name, entries } of this.#lists) {
      const text = parsed(kept.subarray(...name).toString('utf8'))
      if (typeof text === 'string') counts.set(text, entries)
    }
    const text =
      this.#at <= MAX_KEPT_BYTES
        ? kept.toString('utf8')
        : `${kept.subarray(0, this.#cut?.at ?? 0).toString('utf8')}${this.#cut?.close ?? ''}`
    const object = parsed(text)
    const isObject = typeof object === 'object' && object !== null && !Array.isArray(object)
    return { object: isObject ? (object as Record<string, unknown>) : undefined, counts }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
