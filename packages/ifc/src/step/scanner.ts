import { IfcError } from '../ifc-error.ts'
import { DIGIT, kinds, NUMBER, numberError, WORD } from './characters.ts'
import { supportedSchema } from './file-kind.ts'
import { LineTable } from './line-table.ts'
import { afterBackslash, MORE } from './text-end.ts'

/** Which token may come next. */
const START = 0
const SECTION = 1
const STATEMENT = 2
const EQUALS = 3
const NAME = 4
const OPEN = 5
const VALUE = 6
const VALUE_OR_CLOSE = 7
const COMMA_OR_CLOSE = 8
const END = 9
const DONE = 10

/**
 * Which token the scanner is inside of. The value is the byte that ends the token. For a comment, the value is the
 * first of the two bytes that end the comment. Only these tokens can be longer than a chunk of the file.
 */
const NOTHING = 0
const TEXT = 39
const BINARY = 34
const COMMENT = 42

const MAX_DEPTH = 64
const MAX_TOKEN = 512
const MAX_SCHEMA_TEXT = 1000
const MAX_CLASS_NAMES = 5000
const MAX_ID = 2 ** 31 - 1

/**
 * Checks the syntax of a STEP file (ISO 10303-21) chunk by chunk, and records the position of each entity. It works on
 * bytes and keeps no text, since a file can be larger than the memory that the process may use.
 */
export class StepScanner {
  schema: string | null = null
  /** The offsets of the data sections, from the keyword DATA up to and including the last ENDSEC. */
  dataFrom: number | null = null
  dataTo = 0
  readonly lines = new LineTable()
  line = 1
  #base = 0
  #expect = START
  #next = SECTION
  #inside = NOTHING
  #depth = 0
  #inHeader = false
  #inData = false
  #id = 0
  #idOffset = 0
  #headerName = ''
  /** The texts in FILE_SCHEMA, one in each line. */
  #schemaText = ''

  get done(): boolean {
    return this.#expect === DONE
  }

  /**
   * Scans bytes up to `end` and returns how many it has processed. The bytes that it has not processed must be passed
   * again, followed by more bytes.
   */
  scan(bytes: Buffer, end: number, last: boolean): number {
    let at = 0
    while (at < end) {
      if (this.#inside !== NOTHING) {
        at = this.#skip(bytes, at, end, last)
        if (this.#inside !== NOTHING) break
        continue
      }
      if (this.#expect === DONE) return end
      const byte = bytes[at]!
      if (byte <= 32) {
        if (byte === 10) this.line++
        else if (byte !== 32 && byte !== 13 && byte !== 9 && byte !== 12) this.#failUnexpected()
        at++
        continue
      }
      // Handles the tokens ( ) , ; = $ * and the characters that begin a string ('), a binary value (") or a comment
      // (/). `#token` handles all other tokens.
      if (byte === 44) {
        if (this.#expect !== COMMA_OR_CLOSE) this.#fail('has an empty argument')
        this.#expect = VALUE
        at++
      } else if (byte === 40) {
        this.#open()
        at++
      } else if (byte === 41) {
        this.#close()
        at++
      } else if (byte === 36 || byte === 42) {
        this.#value()
        at++
      } else if (byte === 39) {
        this.#value()
        this.#inside = TEXT
        at++
        this.#collectText('\n')
      } else if (byte === 34) {
        this.#value()
        this.#inside = BINARY
        at++
      } else if (byte === 59) {
        at++
        this.#end(at)
      } else if (byte === 61) {
        if (this.#expect !== EQUALS) this.#failUnexpected()
        this.#expect = NAME
        at++
      } else if (byte === 47) {
        if (at + 1 === end && !last) break
        if (bytes[at + 1] !== 42 || at + 1 === end) this.#failUnexpected()
        this.#inside = COMMENT
        at += 2
      } else {
        const to = this.#token(bytes, at, end)
        if (to === MORE) {
          if (end - at > MAX_TOKEN) this.#fail('has a word or number that is too long')
          break
        }
        at = to
      }
    }
    this.#base += at
    return at
  }

  /** Call after the last chunk. */
  finish(): void {
    if (this.#inside === TEXT) throw ends('a string is not closed')
    if (this.#inside === COMMENT) throw ends('a comment is not closed')
    if (this.#expect === STATEMENT) throw ends('ENDSEC is missing')
    if (this.#expect === SECTION) throw ends('END-ISO-10303-21 is missing')
    if (this.#expect !== DONE) throw ends(`line ${this.line} is not complete`)
  }

  /** Continues in a string, a binary value or a comment, to its end or the end of the chunk. */
  #skip(bytes: Buffer, from: number, end: number, last: boolean): number {
    const close = this.#inside
    let at = from
    while (at < end) {
      const byte = bytes[at]!
      if (byte === 10) this.line++
      else if (byte === 92 && close === TEXT) {
        const behind = afterBackslash(bytes, at, end, last)
        if (behind === MORE) return this.#collect(bytes, from, at)
        at = behind
        continue
      } else if (byte === close) {
        if (close === BINARY) break
        if (at + 1 === end && !last) return this.#collect(bytes, from, at)
        const following = at + 1 < end ? bytes[at + 1] : 0
        if (close === COMMENT && following === 47) break
        if (close === TEXT) {
          if (following !== 39) break
          at++
        }
      }
      at++
    }
    this.#collect(bytes, from, at)
    if (at === end) return end
    this.#inside = NOTHING
    return at + (close === COMMENT ? 2 : 1)
  }

  #collect(bytes: Buffer, from: number, to: number): number {
    if (this.schema === null && this.#inside === TEXT) this.#collectText(bytes.toString('latin1', from, to))
    return to
  }

  #collectText(text: string): void {
    if (this.schema === null && this.#headerName === 'FILE_SCHEMA')
      this.#schemaText = (this.#schemaText + text).slice(0, MAX_SCHEMA_TEXT)
  }

  /**
   * Scans a word, a number, an enumeration value or a reference. Returns where it ends, or MORE if it could continue in
   * the next chunk.
   */
  #token(bytes: Buffer, from: number, end: number): number {
    const first = bytes[from]!
    let at = from + 1
    if (first === 35) {
      let id = 0
      while (at < end && kinds[bytes[at]!]! & DIGIT) id = id * 10 + bytes[at++]! - 48
      if (at === end) return MORE
      this.#reference(id, from, at - from)
      return at
    }
    const kind = kinds[first]!
    if (first === 46) {
      while (at < end && bytes[at] !== 46 && kinds[bytes[at]!]! & WORD) at++
      if (at === end) return MORE
      if (bytes[at] !== 46 || at === from + 1) this.#failUnexpected()
      this.#value()
      return at + 1
    }
    if (kind & DIGIT || first === 43 || first === 45) {
      while (at < end && kinds[bytes[at]!]! & NUMBER) at++
      if (at === end) return MORE
      this.#number(bytes, from, at)
      return at
    }
    if (!(kind & WORD)) this.#failUnexpected()
    while (at < end && kinds[bytes[at]!]! & WORD) at++
    if (at === end) return MORE
    this.#word(bytes, from, at)
    return at
  }

  #reference(id: number, from: number, length: number): void {
    if (length === 1) this.#failUnexpected()
    if (id < 1 || id > MAX_ID) this.#fail(`has an id that is not between 1 and ${MAX_ID}`)
    if (this.#expect === STATEMENT && this.#inData) {
      this.#id = id
      this.#idOffset = this.#base + from
      this.#expect = EQUALS
    } else this.#value()
  }

  #number(bytes: Buffer, from: number, to: number): void {
    this.#value()
    const error = numberError(bytes, from, to)
    if (error !== null) this.#fail(`has a number that is ${error}`)
  }

  #word(bytes: Buffer, from: number, to: number): void {
    if (this.#expect === VALUE || this.#expect === VALUE_OR_CLOSE) {
      this.#expect = OPEN
      return
    }
    if (to - from > 128) this.#fail('has a class name that is too long')
    if (this.#expect === NAME) {
      this.lines.add(this.#id, this.#idOffset, this.lines.classIndex(bytes, from, to))
      if (this.lines.classNames.length > MAX_CLASS_NAMES) this.#fail('has too many different class names')
      this.#expect = OPEN
      return
    }
    const word = bytes.toString('latin1', from, to).toUpperCase()
    if (this.#expect === STATEMENT && word === 'ENDSEC') this.#expectSemicolon(SECTION)
    else if (this.#expect === STATEMENT && !this.#inData) {
      this.#headerName = word
      this.#expect = OPEN
    } else if (this.#expect === START && word === 'ISO-10303-21') this.#expectSemicolon(SECTION)
    else if (this.#expect === SECTION && word === 'END-ISO-10303-21') this.#expectSemicolon(DONE)
    else if (this.#expect === SECTION && word === 'HEADER' && this.schema === null) {
      this.#inHeader = true
      this.#expectSemicolon(STATEMENT)
    } else if (this.#expect === SECTION && word === 'DATA' && this.schema !== null) {
      this.#inData = true
      this.dataFrom ??= this.#base + from
      this.#expectSemicolon(STATEMENT)
    } else this.#failUnexpected()
  }

  #expectSemicolon(next: number): void {
    this.#expect = END
    this.#next = next
  }

  #value(): void {
    if (this.#expect !== VALUE && this.#expect !== VALUE_OR_CLOSE) this.#failUnexpected()
    this.#expect = COMMA_OR_CLOSE
  }

  #open(): void {
    // A data section may have parameters between its keyword and the semicolon.
    const parameters = this.#expect === END && this.#depth === 0 && this.#inData && this.#next === STATEMENT
    if (this.#expect !== OPEN && this.#expect !== VALUE && this.#expect !== VALUE_OR_CLOSE && !parameters)
      this.#failUnexpected()
    if (++this.#depth > MAX_DEPTH) this.#fail('is nested too deeply')
    this.#expect = VALUE_OR_CLOSE
  }

  #close(): void {
    if (this.#expect === VALUE) this.#fail('has an empty argument')
    if (this.#expect !== VALUE_OR_CLOSE && this.#expect !== COMMA_OR_CLOSE) this.#failUnexpected()
    this.#expect = --this.#depth === 0 ? END : COMMA_OR_CLOSE
  }

  #end(at: number): void {
    if (this.#expect !== END) this.#fail('has an unexpected semicolon')
    this.#expect = this.#next
    if (this.#next === SECTION) {
      if (this.#inData) this.dataTo = this.#base + at
      else if (this.#inHeader && this.schema === null) throw new IfcError('The header does not name the schema')
      this.#inData = false
      this.#inHeader = false
      this.#next = STATEMENT
    }
    if (this.#headerName === 'FILE_SCHEMA' && this.schema === null)
      this.schema = supportedSchema(this.#schemaText.split('\n'))
  }

  #failUnexpected(): never {
    if (this.#expect === EQUALS) this.#fail('lacks an equals sign after its id')
    if (this.#expect === COMMA_OR_CLOSE) this.#fail('lacks a comma or a closing parenthesis')
    if (this.#expect === END) this.#fail('lacks a semicolon')
    if (this.#expect === OPEN) this.#fail('lacks an opening parenthesis')
    this.#fail('has an unexpected character')
  }

  #fail(what: string): never {
    throw new IfcError(`Line ${this.line} of the file ${what}`)
  }
}

function ends(how: string): IfcError {
  return new IfcError(`The file is incomplete: ${how}`)
}
