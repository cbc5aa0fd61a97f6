import { OutboundFailed } from './errors.ts'
import { type Framing, type ResponseHead, readHead, readHeader } from './response-head.ts'

/** The size limit for the status line and the headers of a response, and for the trailers of a chunked body. */
const MAX_HEAD_BYTES = 16_384
/** The size limit for the line before a chunk: it contains the size of the chunk, and perhaps chunk extensions. */
const MAX_CHUNK_LINE_BYTES = 16_384
/** The size limit for all lines between the chunks of a body. */
const MAX_CHUNK_LINES_BYTES = 1024 * 1024
/** The size limit for empty lines before the status line. */
const MAX_SKIPPED_BYTES = 1_024
/** Without this limit, a receiver could send interim responses without end. Usually it sends none or one. */
const MAX_INTERIM_RESPONSES = 10

const END_OF_HEAD = '\r\n\r\n'
const CR = 0x0d
const LF = 0x0a
const BARE_LINE_FEED = /[^\r]\n/
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const QUOTED = '"(?:[\\t !#-[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"'
/** The size of a chunk, and extensions, which are ignored. */
const CHUNK_SIZE = new RegExp(`^0*([0-9A-Fa-f]{1,12})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED})?)?)*$`)

type Part = 'head' | 'sized' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'until-end' | 'complete'

/**
 * Reads one response to a POST request (RFC 9112), in the pieces in which the response arrives. Throws OutboundFailed
 * for bytes that are not valid HTTP. Interim responses are skipped.
 */
export class ResponseReader {
  /** Whether any byte has arrived. */
  hasStarted = false
  readonly #maxBytes: number
  readonly #body: Buffer[] = []
  #head: ResponseHead | undefined
  #part: Part = 'head'
  #isKept = false
  #bodyBytes = 0
  /** How many bytes of the body, or of the current chunk, are still to come. */
  #left = 0
  #interim = 0
  /** The beginning of a head or of a line whose end has not arrived yet. */
  #partial = ''
  #lineBytes = 0
  #skipped = 0

  /** @param maxBytes The size limit of the body: a response is complete when its body reaches this limit. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get status(): number {
    return this.#head?.status ?? 0
  }

  /** Whether the connection can be used again after this response. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** How long the receiver keeps an idle connection open, by its Keep-Alive header; infinite if that has no timeout. */
  get keptMs(): number {
    return this.#head?.keptMs ?? 0
  }

  /** The body, cut at its size limit. */
  get body(): Buffer {
    const [first] = this.#body
    const whole = this.#body.length === 1 ? first! : Buffer.concat(this.#body)
    return whole.subarray(0, this.#maxBytes)
  }

  /** Returns true when the response is complete. */
  read(bytes: Buffer): boolean {
    this.hasStarted ||= bytes.length > 0
    let at = 0
    while (at < bytes.length && this.#part !== 'complete') at = this.#readPart(bytes, at)
    // Only one response was requested, so a connection on which more bytes follow is not used again.
    if (at < bytes.length && !isEmptyLine(bytes.subarray(at))) this.#isKept = false
    return this.#part === 'complete'
  }

  /** Called when the connection has ended. Returns true if the response is complete. */
  end(): boolean {
    if (this.#part === 'until-end') this.#part = 'complete'
    return this.#part === 'complete'
  }

  #readPart(bytes: Buffer, at: number): number {
    switch (this.#part) {
      case 'head':
        return this.#readHead(bytes, at)
      case 'chunk-size':
        return this.#readLine(bytes, at, MAX_CHUNK_LINE_BYTES, (line) => this.#startChunk(line))
      case 'chunk-end':
        return this.#readLine(bytes, at, 0, () => (this.#part = 'chunk-size'))
      case 'trailers':
        return this.#readLine(bytes, at, MAX_HEAD_BYTES, (line) => this.#readTrailer(line))
      default:
        return this.#readBody(bytes, at)
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    if (this.#partial === '') {
      if (isLineEnd(bytes[at])) return this.#skipLineEnd(at)
      const end = bytes.indexOf(END_OF_HEAD, at, 'latin1')
      if (end >= 0) {
        this.#startBody(bytes.toString('latin1', at, end))
        return end + END_OF_HEAD.length
      }
    }
    const before = this.#partial.length
    // The longest allowed head and its end have this many bytes. Further bytes are not needed to refuse a longer head.
    const whole = this.#partial + bytes.toString('latin1', at, at + MAX_HEAD_BYTES + END_OF_HEAD.length)
    const end = whole.indexOf(END_OF_HEAD, Math.max(0, before - END_OF_HEAD.length + 1))
    this.#partial = ''
    if (end >= 0) {
      this.#startBody(whole.slice(0, end))
      return at + end + END_OF_HEAD.length - before
    }
    // Bytes that cannot be the beginning of a head are refused before the end of the head arrives.
    const isOther =
      !'HTTP/1.'.startsWith(whole.slice(0, 7)) || BARE_LINE_FEED.test(whole.slice(Math.max(0, before - 1)))
    if (isTooLong(whole) || isOther) throw invalid()
    this.#partial = whole
    return bytes.length
  }

  /** Some receivers send an empty line between two responses. */
  #skipLineEnd(at: number): number {
    if (++this.#skipped > MAX_SKIPPED_BYTES) throw invalid()
    return at + 1
  }

  #startBody(text: string): void {
    const head = text.length > MAX_HEAD_BYTES ? undefined : readHead(text)
    if (head === undefined) throw invalid()
    // 101 announces another protocol, which was not requested.
    if (head.status === 101) throw new OutboundFailed('ECONNRESET', 'sent')
    if (head.status < 200) {
      if (++this.#interim > MAX_INTERIM_RESPONSES) throw new OutboundFailed('EINTERIM', 'sent')
      return
    }
    this.#head = head
    this.#isKept = head.isKept
    this.#part = partAfterHead(head.framing)
    if (typeof head.framing === 'object') this.#left = head.framing?.bytes ?? 0
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = this.#part === 'until-end' ? bytes.length : Math.min(bytes.length, at + this.#left)
    this.#body.push(bytes.subarray(at, end))
    this.#bodyBytes += end - at
    this.#left -= end - at
    if (this.#part === 'sized' && this.#left === 0) this.#part = 'complete'
    else if (this.#part === 'chunk' && this.#left === 0) this.#part = 'chunk-end'
    if (this.#bodyBytes >= this.#maxBytes && this.#part !== 'complete') {
      // The rest would have to be read before the connection could be used again.
      this.#isKept = false
      this.#part = 'complete'
    }
    return end
  }

  #startChunk(line: string): void {
    const size = CHUNK_SIZE.exec(line)?.[1]
    if (size === undefined) throw invalid()
    this.#left = Number.parseInt(size, 16)
    this.#part = this.#left === 0 ? 'trailers' : 'chunk'
    if (this.#left === 0) this.#lineBytes = 0
  }

  #readTrailer(line: string): void {
    if (line === '') {
      this.#part = 'complete'
      return
    }
    const name = this.#lineBytes > MAX_HEAD_BYTES ? undefined : readHeader(line)?.name
    // The chunks have determined where the body ends, so a Content-Length after them is invalid.
    if (name === undefined || name === 'content-length') throw invalid()
  }

  #readLine(bytes: Buffer, at: number, maxBytes: number, use: (line: string) => void): number {
    const end = bytes.indexOf(LF, at)
    // A line can have `maxBytes` bytes and a carriage return. One more byte is read, so that a longer line is refused.
    const until = Math.min(end < 0 ? bytes.length : end, at + maxBytes + 2)
    const whole = this.#partial + bytes.toString('latin1', at, until)
    if (whole.length > maxBytes + 1) throw invalid()
    this.#partial = end < 0 ? whole : ''
    if (end < 0) return bytes.length
    if (!whole.endsWith('\r')) throw invalid()
    this.#lineBytes += whole.length + 1
    if (this.#lineBytes > MAX_CHUNK_LINES_BYTES) throw invalid()
    use(whole.slice(0, -1))
    return end + 1
  }
}

/** Whether the head is too long. Bytes at its end do not count if they can be the beginning of `END_OF_HEAD`. */
const isTooLong = (partial: string): boolean =>
  partial.length > MAX_HEAD_BYTES && partial.replace(/\r(?:\n\r?)?$/, '').length > MAX_HEAD_BYTES

const isLineEnd = (byte: number | undefined): boolean => byte === CR || byte === LF

/** Whether the bytes are an empty line, which some receivers send after a response. */
export const isEmptyLine = (bytes: Buffer): boolean => bytes.length <= 2 && bytes.every(isLineEnd)

function partAfterHead(framing: Framing | null): Part {
  if (framing === null) return 'complete'
  if (framing === 'chunked') return 'chunk-size'
  return framing === 'until-end' ? framing : 'sized'
}

const invalid = (): OutboundFailed => new OutboundFailed('EINVALIDRESPONSE', 'sent')
