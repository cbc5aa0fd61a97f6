/**
 * The parts of a request head that affect the response. `readPlainHead` returns undefined for a head with another
 * header that may affect the response.
 */
export interface PlainHead {
  target: string
  host: string
  length: number
  authorization: string
  contentType: string
}

const REQUEST_LINE = /^POST (\/[\x21\x22\x24-\x7e]*) HTTP\/1\.1$/
const HEADER = /^([A-Za-z-]{1,40}): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/
const LENGTH = /^[1-9]\d{0,7}$/

/** Headers that affect the response. */
const READ = new Set(['host', 'content-length', 'authorization', 'content-type'])
/** Headers that clients often send, and that have no effect on an ingest request. */
const IGNORED = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'user-agent'],
  ...['cache-control', 'pragma', 'sec-fetch-mode'],
])

/**
 * Reads the head of a request, without the empty line at its end. Undefined unless the request is a POST in HTTP/1.1
 * with a body of known length, and all parsers read its head in the same way: every header is well known, present once,
 * and on one line of printable ASCII. A request with another head may be valid too: the gateway reads it.
 */
export function readPlainHead(head: string): PlainHead | undefined {
  const lines = head.split('\r\n')
  const target = REQUEST_LINE.exec(lines[0]!)?.[1]
  if (target === undefined) return undefined
  const values = new Map<string, string>()
  for (let i = 1; i < lines.length; i++) {
    const [, name, value] = HEADER.exec(lines[i]!) ?? []
    if (name === undefined || value === undefined) return undefined
    const key = name.toLowerCase()
    if (values.has(key)) return undefined
    values.set(key, value)
    if (READ.has(key) || IGNORED.has(key)) continue
    if (key !== 'connection' || value.toLowerCase() !== 'keep-alive') return undefined
  }
  const host = values.get('host')
  const authorization = values.get('authorization')
  const length = values.get('content-length') ?? ''
  if (host === undefined || authorization === undefined || !LENGTH.test(length)) return undefined
  return { target, host, length: Number(length), authorization, contentType: values.get('content-type') ?? '' }
}
