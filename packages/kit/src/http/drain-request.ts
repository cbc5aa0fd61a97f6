import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'

/** How much of a refused body is read, and how long the connection stays open at most. */
export interface DrainLimit {
  bytes: number
  ms: number
}

/**
 * From an authorized caller more is read than most routes accept, so that the caller can finish sending and read the
 * refusal. From any other client only the first bytes are read. Its connection is then paused, which costs nothing and
 * delays the client's next attempt.
 */
export const DRAIN_LIMITS: Record<'known' | 'unknown', DrainLimit> = {
  known: { bytes: 16 * 1024 * 1024, ms: 10_000 },
  unknown: { bytes: 256 * 1024, ms: 1_000 },
}

/**
 * Sends the whole response immediately, and ends it when the body of the request has arrived or the time limit is over.
 * If the connection were closed while the client still sends, it would be reset and the response lost; so part of the
 * request is read and discarded first.
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

/** Sends a refusal to an unauthenticated client, without the framework. */
export function answerUnread(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: { status: number; headers: Record<string, string>; body: string },
): void {
  response.writeHead(status, { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) })
  endAfterDrain(request, body, DRAIN_LIMITS.unknown).pipe(response)
}
