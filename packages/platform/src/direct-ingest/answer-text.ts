import { STATUS_CODES } from 'node:http'

export interface Answer {
  status: number
  requestId: string
  /** Further headers, such as those of the rate limits. */
  headers: Readonly<Record<string, string>>
  /** Absent: the response has no body. */
  body?: { type: string; text: string }
}

/** A response as the gateway would send it, in latin1. */
export function answerText({ status, requestId, headers, body }: Answer): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  text += `vary: Origin\r\nx-request-id: ${requestId}\r\nx-content-type-options: nosniff\r\n`
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`
  if (body) text += `content-type: ${body.type}\r\n`
  text += `date: ${dateText()}\r\n`
  if (body) text += `content-length: ${Buffer.byteLength(body.text)}\r\n`
  text += 'Connection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\n'
  // In latin1 each byte of the body is a character.
  return body ? text + Buffer.from(body.text).toString('latin1') : text
}

let date = ''
let dateUntilMs = 0

/** The time in whole seconds, as text that is created once a second. */
function dateText(): string {
  const now = Date.now()
  if (now >= dateUntilMs || now < dateUntilMs - 1000) {
    date = new Date(now).toUTCString()
    dateUntilMs = now - (now % 1000) + 1000
  }
  return date
}
