import type { IncomingMessage, ServerResponse } from 'node:http'
import { announcesBody, answerUnread } from '@storey/kit/http'

/** Enough for every form of a realm: a form has a few fields, and the longest field is an ID token. */
const LIMIT_BYTES = 64 * 1024

/**
 * True when the body is refused because of its Content-Length, before it is read. A chunked body is read up to the
 * limit of its reader, and the connection is closed after the response.
 */
export function refuseLargeBody(request: IncomingMessage, response: ServerResponse): boolean {
  if (!announcesBody(request)) return false
  if (Number(request.headers['content-length'] ?? 0) > LIMIT_BYTES) {
    const body = JSON.stringify({ error: 'invalid_request', error_description: 'the body is larger than 64 KB' })
    answerUnread(request, response, { status: 413, headers: { 'content-type': 'application/json' }, body })
    return true
  }
  if (request.headers['transfer-encoding'] !== undefined) response.shouldKeepAlive = false
  return false
}
