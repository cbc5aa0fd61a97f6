const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACKET_END, BRACE, BRACE_END] = [34, 92, 44, 91, 93, 123, 125]

/**
 * Counts the values and the depth of a JSON text chunk by chunk, so that a text with too many values or levels is found
 * before it is parsed. Does not check whether the text is valid.
 */
export class JsonScanner {
  /** An upper bound of the number of values: one, and one more for each comma, opening bracket and opening brace. */
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
