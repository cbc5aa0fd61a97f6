const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACKET_END, BRACE, BRACE_END] = [34, 92, 44, 91, 93, 123, 125]

/** No body means anything at such a depth, and what walks through one by recursion would fall over. */
export const MAX_DEPTH = 200

/**
 * Counts the values of a JSON text and its depth, chunk by chunk as it arrives: what is too much is known before any of
 * it is parsed. Says nothing of whether the text is valid.
 */
export class JsonScanner {
  /** At least as many as there are values that take room: each comma and each bracket stands for one. */
  values = 1
  maxDepth = 0
  #depth = 0
  #inString = false
  #escaped = false

  push(chunk: Uint8Array): void {
    let { values } = this
    let depth = this.#depth
    let maxDepth = this.maxDepth
    let inString = this.#inString
    let i = this.#escaped ? 1 : 0
    this.#escaped = chunk.length === 0 && this.#escaped
    for (; i < chunk.length; i++) {
      const byte = chunk[i]!
      if (inString) {
        if (byte === QUOTE) inString = false
        else if (byte === BACKSLASH && ++i === chunk.length) this.#escaped = true
      } else if (byte === QUOTE) inString = true
      else if (byte === COMMA) values++
      else if (byte === BRACKET || byte === BRACE) {
        values++
        if (++depth > maxDepth) maxDepth = depth
      } else if (byte === BRACKET_END || byte === BRACE_END) depth--
    }
    this.values = values
    this.#depth = depth
    this.maxDepth = maxDepth
    this.#inString = inString
  }
}
