import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { setInterval as every, setTimeout as sleep } from 'node:timers/promises'

/** How long and how much who was answered may go on sending, and how much it must send in each second of it. */
const READ_OUT_SECONDS = 10
const READ_OUT_BYTES = 32 * 1024 * 1024
const BYTES_A_SECOND = 16 * 1024
/** Of a stranger no more is read; its connection then stands still for a moment, and costs nothing. */
const STRANGER_BYTES = 256 * 1024
const STRANGER_MS = 1_000

interface Ended {
  request: IncomingMessage
  response: ServerResponse
  connection: { readonly isCaller: boolean }
  readonly awaitsContinue: boolean
}

/**
 * Ends an answer once the request has been read out. A connection that ends under a client that still sends is reset,
 * and the answer is lost with it, although it was all written. Who neither stops nor goes on in earnest is cut off.
 */
export async function endWhenRead({ request, response, connection, awaitsContinue }: Ended): Promise<void> {
  // Who waits for leave to send its body will not send it any more.
  if (!awaitsContinue) await takeRest(request, connection.isCaller)
  if (request.complete) response.end()
  // An answer in chunks is whole with the last one only.
  else response.end(() => request.socket.destroy())
}

/** Reads the rest of a request that is answered; who does not send it in earnest is cut off. */
export async function readOut(request: IncomingMessage, isCaller: boolean): Promise<void> {
  await takeRest(request, isCaller)
  if (!request.complete) request.socket.destroy()
}

async function takeRest(request: IncomingMessage, isCaller: boolean): Promise<void> {
  if (request.complete) return
  const over = new AbortController()
  const limit = isCaller ? patience(request, over.signal) : holdStill(request, over.signal)
  request.resume()
  await Promise.race([finished(request, { writable: false }), limit]).catch(() => undefined)
  over.abort()
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

async function holdStill(request: IncomingMessage, signal: AbortSignal): Promise<void> {
  let read = 0
  const take = (chunk: Buffer) => {
    read += chunk.length
    if (read > STRANGER_BYTES) request.pause()
  }
  request.on('data', take)
  await sleep(STRANGER_MS, undefined, { signal, ref: false }).catch(() => undefined)
  request.off('data', take)
}
