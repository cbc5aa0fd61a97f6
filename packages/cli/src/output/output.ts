import { printableJson } from '@storey/contract/printable'
import { type Ink, paint, type Style, styleFor } from './style.ts'

/** An output stream, which may be a terminal. */
export interface Stream {
  write(data: string | Uint8Array): unknown
  isTTY?: boolean
  columns?: number
}

const DEFAULT_COLUMNS = 80

/** stdout has only the result; everything else goes to stderr. */
export class Output {
  format: 'text' | 'json' = 'text'
  readonly style: Style
  readonly noteStyle: Style
  readonly #out: Stream
  readonly #err: Stream

  constructor(out: Stream, err: Stream, env: Readonly<Record<string, string | undefined>>) {
    this.#out = out
    this.#err = err
    this.style = styleFor(env, out)
    this.noteStyle = styleFor(env, err)
  }

  get isTerminal(): boolean {
    return this.#out.isTTY === true
  }

  get columns(): number {
    return this.#out.columns || DEFAULT_COLUMNS
  }

  /** Whether stderr is a terminal and the format is text, so that progress and hints are shown. */
  get isWatched(): boolean {
    return this.#err.isTTY === true && this.format === 'text'
  }

  get noteColumns(): number {
    return this.#err.columns || DEFAULT_COLUMNS
  }

  /** Prints the result: the record with --format=json, otherwise the text. */
  answer(record: unknown, text: () => string): void {
    this.#out.write(this.format === 'json' ? `${printableJson(record, 2)}\n` : ended(text()))
  }

  /** Prints a text to stdout, whatever the format: for results that come line by line, such as events, and for help. */
  print(text: string): void {
    this.#out.write(ended(text))
  }

  /** Writes bytes to stdout unchanged, such as those of a file that the API returned. */
  bytes(data: Uint8Array): void {
    this.#out.write(data)
  }

  /** Prints a hint to stderr if stderr is a terminal, but not with --format=json. */
  hint(text: string): void {
    if (this.isWatched) this.#err.write(ended(paint(this.noteStyle, 'dim', text)))
  }

  /** Prints a note to stderr, even if stderr is not a terminal, but not with --format=json. */
  note(text: string): void {
    if (this.format === 'text') this.#err.write(ended(text))
  }

  /** Writes a text to stderr unchanged, whatever the format. */
  raw(text: string): void {
    this.#err.write(text)
  }

  paint(ink: Ink, text: string): string {
    return paint(this.style, ink, text)
  }

  paintNote(ink: Ink, text: string): string {
    return paint(this.noteStyle, ink, text)
  }
}

const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
