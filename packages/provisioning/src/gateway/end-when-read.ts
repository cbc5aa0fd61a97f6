import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { setInterval as every, setTimeout as sleep } from 'node:timers/promises'

/** Limits for reading the rest of a caller's request: time, bytes, and the minimum rate. */
const READ_OUT_SECONDS = 10
const READ_OUT_BYTES = 32 * 1024 * 1024
const BYTES_A_SECOND = 16 * 1024
/**
 * Limits for an unauthenticated client. After this many bytes the gateway stops reading, because a connection from
 * which nothing is read costs nothing. After this time the gateway closes the connection.
 */
const UNAUTHENTICATED_BYTES = 256 * 1024
const UNAUTHENTICATED_MS = 1_000

interface Ended {
  request: IncomingMessage
  response: ServerResponse
  connection: { readonly isCaller: boolean; finish(last: string, keepsReading: boolean): void }
  readonly awaitsContinue: boolean
}

/**
 * Ends a response after the request has been read to its end. Closing while the client still sends resets the
 * connection, and the response is lost. A client that is too slow is disconnected.
 */
export async function endWhenRead({ request, response, connection, awaitsContinue }: Ended): Promise<void> {
  // A client that still waits for 100 Continue does not send its body after this response.
  if (!awaitsContinue) await takeRest(request, connection.isCaller)
  if (request.complete) response.end()
  // The connection is closed only after the end of the response is sent, because a chunked response is complete only
  // with its last chunk.
  else response.end(() => connection.finish('', false))
}

/** Reads the rest of an answered request, and disconnects a client that is too slow. */
export async function readOut({ request, connection }: Pick<Ended, 'request' | 'connection'>): Promise<void> {
  await takeRest(request, connection.isCaller)
  if (!request.complete) connection.finish('', false)
}

async function takeRest(request: IncomingMessage, isCaller: boolean): Promise<void> {
  if (request.complete) return
  const over = new AbortController()
  const limit = isCaller ? untilTooSlow(request, over.signal) : readBriefly(request, over.signal)
  request.resume()
  await Promise.race([finished(request, { writable: false }), limit]).catch(() => undefined)
  over.abort()
}

async function untilTooSlow({ socket }: IncomingMessage, signal: AbortSignal): Promise<void> {
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
    // The timer was aborted because the request was read to its end, or its connection broke.
  }
}

async function readBriefly(request: IncomingMessage, signal: AbortSignal): Promise<void> {
  let read = 0
  const take = (chunk: Buffer) => {
    read += chunk.length
    if (read > UNAUTHENTICATED_BYTES) request.pause()
  }
  request.on('data', take)
  await sleep(UNAUTHENTICATED_MS, undefined, { signal, ref: false }).catch(() => undefined)
  request.off('data', take)
}
