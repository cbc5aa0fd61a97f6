import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { setInterval as every } from 'node:timers/promises'

/** How long and how much who was answered may go on sending, and how much it must send in each second of it. */
const READ_OUT_SECONDS = 10
const READ_OUT_BYTES = 32 * 1024 * 1024
const BYTES_A_SECOND = 16 * 1024

/**
 * Ends an answer once the request has been read out. A connection that ends under a client that still sends is reset,
 * and the answer is lost with it, although it was all written. Who neither stops nor goes on in earnest is cut off.
 */
export async function endWhenRead(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await readOut(request)
  response.end()
}

/** Reads the rest of a request that is answered; who does not send it in earnest is cut off. */
export async function readOut(request: IncomingMessage): Promise<void> {
  if (request.complete) return
  request.resume()
  const over = new AbortController()
  await Promise.race([finished(request, { writable: false }), patience(request, over.signal)]).catch(() => undefined)
  over.abort()
  if (!request.complete) request.socket.destroy()
}

async function patience({ socket }: IncomingMessage, signal: AbortSignal): Promise<void> {
  const from = socket.bytesRead
  let read = from
  let seconds = 0
  try {
    for await (const _ of every(1_000, undefined, { signal, ref: false })) {
      const isSlow = socket.bytesRead - read < BYTES_A_SECOND
      read = socket.bytesRead
      if (isSlow || read - from > READ_OUT_BYTES || ++seconds >= READ_OUT_SECONDS) return
    }
  } catch {
    // It was read to its end.
  }
}
