import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'

/** How much of a body that is not wanted is taken in, and how long the connection then stands. */
export interface DrainLimit {
  bytes: number
  ms: number
}

/**
 * Whoever is known may send what a route takes at most, and still read why it was refused. A stranger's connection is
 * left alone after the first bytes: whoever waits for its end costs nothing, and cannot begin anew meanwhile.
 */
export const DRAIN_LIMITS: Record<'known' | 'unknown', DrainLimit> = {
  known: { bytes: 16 * 1024 * 1024, ms: 10_000 },
  unknown: { bytes: 256 * 1024, ms: 1_000 },
}

/**
 * The whole answer at once, and its end a moment later: a connection that ends under a client that still sends is reset,
 * and the answer is lost with it. So a part of what comes is taken in and thrown away; then the connection ends.
 */
export function endAfterDrain(request: IncomingMessage, body: string, { bytes, ms }: DrainLimit): PassThrough {
  const answer = new PassThrough()
  answer.write(body)
  let seen = 0
  const end = () => {
    clearTimeout(timer)
    request.off('data', take).off('end', end).off('error', end).off('close', end)
    request.pause()
    answer.end()
  }
  const take = (chunk: Buffer) => {
    seen += chunk.length
    if (seen > bytes) request.pause()
  }
  const timer = setTimeout(end, ms).unref()
  request.on('data', take).on('end', end).on('error', end).on('close', end)
  request.resume()
  return answer
}

/** Where no framework stands between: an answer to a stranger whose body is not wanted. */
export function answerUnread(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: { status: number; headers: Record<string, string>; body: string },
): void {
  response.writeHead(status, { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) })
  endAfterDrain(request, body, DRAIN_LIMITS.unknown).pipe(response)
}
