/** What the status line and the headers of a response determine about the body and the connection. */
export interface ResponseHead {
  status: number
  /** What determines the end of the body; null if there is no body. */
  framing: Framing | null
  /** Whether the server keeps the connection open after this response. */
  isKept: boolean
  /** The timeout in the Keep-Alive header: how long the server keeps an idle connection open. Infinite if absent. */
  keptMs: number
}

/** A body has a length, or it consists of chunks, or it ends with the connection. */
export type Framing = { bytes: number } | 'chunked' | 'until-end'

interface Header {
  /** In lower case. */
  name: string
  value: string
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TEXT = /^[\t\x20-\x7e\x80-\xff]*$/
const CONTENT_LENGTH = /^0*\d{1,15}$/
const LAST_IS_CHUNKED = /(?:^|,)[ \t]*chunked$/
const TIMEOUT = /(?:^|[,; \t])timeout=(\d{1,6})/i

/** Reads a head without the empty line at its end. Returns undefined if it is not valid (RFC 9112). */
export function readHead(head: string): ResponseHead | undefined {
  const lines = head.split('\r\n')
  const [, minor, status] = STATUS_LINE.exec(lines[0]!) ?? []
  // HTTP/1.0 has no interim responses.
  if (status === undefined || (minor === '0' && status < '200')) return undefined
  let contentLength: number | undefined
  let coding: string | undefined
  let connection = ''
  let keptMs = Number.POSITIVE_INFINITY
  for (let i = 1; i < lines.length; i++) {
    const header = readHeader(lines[i]!)
    if (header === undefined) return undefined
    const { name, value } = header
    if (name === 'content-length') {
      if (contentLength !== undefined || !CONTENT_LENGTH.test(value)) return undefined
      contentLength = Number(value)
    } else if (name === 'transfer-encoding') {
      if (value === '') return undefined
      coding = coding === undefined ? value : `${coding}, ${value}`
    } else if (name === 'connection') connection += `,${value.toLowerCase()}`
    else if (name === 'keep-alive') keptMs = Number(TIMEOUT.exec(value)?.[1] ?? Number.POSITIVE_INFINITY) * 1000
  }
  // A length and a coding contradict each other, and a server must not send both.
  if (coding !== undefined && contentLength !== undefined) return undefined
  const framing = framingOf(Number(status), contentLength, coding)
  const options = connection.split(',').map((option) => option.trim())
  // With HTTP/1.0 the connection is closed unless the response has `Connection: keep-alive`.
  const isKept = !options.includes('close') && (minor === '1' || options.includes('keep-alive'))
  return { status: Number(status), framing, isKept: isKept && framing !== 'until-end', keptMs }
}

function framingOf(status: number, contentLength?: number, coding?: string): Framing | null {
  if (status < 200 || status === 204 || status === 304 || contentLength === 0) return null
  if (coding !== undefined) return LAST_IS_CHUNKED.test(coding.toLowerCase()) ? 'chunked' : 'until-end'
  return contentLength === undefined ? 'until-end' : { bytes: contentLength }
}

/**
 * Parses a line of the head or of the trailers. The value is trimmed without a regular expression, which could take
 * quadratic time.
 */
export function readHeader(line: string): Header | undefined {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(0, colon))
  if (!NAME.test(name) || !TEXT.test(line)) return undefined
  let start = colon + 1
  let end = line.length
  while (start < end && isSpace(line, start)) start++
  while (end > start && isSpace(line, end - 1)) end--
  return { name: name.toLowerCase(), value: line.slice(start, end) }
}

const isSpace = (line: string, at: number): boolean => line[at] === ' ' || line[at] === '\t'
