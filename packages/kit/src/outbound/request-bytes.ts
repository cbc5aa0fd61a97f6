import type { Target } from './target.ts'

/** Names of `headers` that are not sent: this client sets these headers itself, or does not support them. */
const OWN = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'te', 'trailer'])
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Excludes line breaks, because a line break in a value would begin another header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** A request whose body is at most this large is copied into one buffer, because one write is quicker than two. */
const MAX_COPIED_BYTES = 65_536

/** A POST request as bytes: the head and the body, in one buffer if the body is small. */
export function requestBytes(target: Target, headers: Readonly<Record<string, string>>, body: Buffer): Buffer[] {
  let head = `POST ${target.path} HTTP/1.1\r\nhost: ${target.authority}\r\nconnection: keep-alive\r\n`
  for (const name in headers) {
    const value = headers[name]!
    if (!NAME.test(name) || !VALUE.test(value)) throw new TypeError(`the header ${JSON.stringify(name)} is not valid`)
    if (!OWN.has(name.toLowerCase())) head += `${name}: ${value}\r\n`
  }
  head += `content-length: ${body.length}\r\n\r\n`
  if (body.length > MAX_COPIED_BYTES) return [Buffer.from(head, 'latin1'), body]
  const bytes = Buffer.allocUnsafe(head.length + body.length)
  bytes.write(head, 0, 'latin1')
  body.copy(bytes, head.length)
  return [bytes]
}
