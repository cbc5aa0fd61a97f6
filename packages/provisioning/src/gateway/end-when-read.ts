import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long who was answered may go on sending. */
const READ_OUT_MS = 30_000

/**
 * Ends an answer once the request has been read out. A connection that ends under a client that still sends is reset,
 * and the answer is lost with it, although it was all written.
 */
export async function endWhenRead(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!request.complete) {
    request.resume()
    const over = new AbortController()
    const limit = sleep(READ_OUT_MS, undefined, { signal: over.signal, ref: false })
    await Promise.race([finished(request, { writable: false }), limit]).catch(() => undefined)
    over.abort()
    limit.catch(() => undefined)
  }
  response.end()
}
