import { createTokenBucket, type TokenBucketOptions } from '@storey/kit/token-bucket'
import { createTurns, type TurnLimits } from './turns.ts'

export interface FrameLimits {
  beforeSignIn: TokenBucketOptions
  afterSignIn: TokenBucketOptions
  turn: TurnLimits
}

/** The part of a WebSocket of the library `ws` that is used here. */
export interface FrameSource {
  _receiver: { write(chunk: Buffer): boolean; writableEnded: boolean }
  /** Reads from the connection again. */
  resume(): void
  terminate(): void
}

/** The WebSocket server of the library `ws`, inside Engine.IO. */
export interface WebSocketServer<Request> {
  options: object
  handleUpgrade(request: Request, socket: object, head: Buffer, done: (websocket: FrameSource) => void): void
}

/** The longest header of a frame: two bytes, a length of eight bytes and a mask of four bytes. */
const MAX_HEADER_BYTES = 14

/**
 * Counts frames in the bytes that a client sends, before the library reads them. The returned function returns false at
 * the first frame that is not allowed. Pings, pongs and parts of messages are frames too, and can be empty.
 */
export function createFrameCheck(isAllowed: () => boolean): (chunk: Buffer) => boolean {
  const header = Buffer.alloc(MAX_HEADER_BYTES)
  let headerBytes = 0
  let payloadBytes = 0
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (payloadBytes > 0) {
        const skipped = Math.min(payloadBytes, chunk.length - at)
        payloadBytes -= skipped
        at += skipped
        continue
      }
      if (headerBytes === 0 && !isAllowed()) return false
      header[headerBytes++] = chunk[at++]!
      if (headerBytes < headerLength(header, headerBytes)) continue
      payloadBytes = payloadLength(header)
      headerBytes = 0
    }
    return true
  }
}

function headerLength(header: Buffer, known: number): number {
  if (known < 2) return 2
  const length = header[1]! & 0x7f
  const lengthBytes = length === 127 ? 8 : length === 126 ? 2 : 0
  return 2 + lengthBytes + (header[1]! & 0x80 ? 4 : 0)
}

function payloadLength(header: Buffer): number {
  const length = header[1]! & 0x7f
  if (length === 127) return Number(header.readBigUInt64BE(2))
  return length === 126 ? header.readUInt16BE(2) : length
}

/**
 * Limits the frames of all WebSockets. The library answers each ping, and does not return to the event loop before it
 * has handled all frames that arrived together. So a few kilobytes of empty frames from each of many clients would
 * block the event loop for seconds.
 *
 * A WebSocket with more frames than allowed is terminated, and the library does not get the bytes that contain the
 * excess frames. The bytes of many clients are read in several turns of the event loop. Signed-in clients do not wait
 * for clients without a token.
 */
export function limitFrames<Request extends object>(
  server: WebSocketServer<Request>,
  limits: FrameLimits,
  isSignedIn: (request: Request) => boolean,
): void {
  const before = { limit: limits.beforeSignIn, run: createTurns(limits.turn) }
  const after = { limit: limits.afterSignIn, run: createTurns(limits.turn) }

  function limit(websocket: FrameSource, request: Request): void {
    const { _receiver: receiver } = websocket
    const write = receiver.write.bind(receiver)
    const [takeBefore, takeAfter] = [createTokenBucket(before.limit).take, createTokenBucket(after.limit).take]
    const isWithinLimit = createFrameCheck(() => (isSignedIn(request) ? takeAfter() : takeBefore()))
    let isTerminated = false
    receiver.write = (chunk) => {
      if (isTerminated || !isWithinLimit(chunk)) {
        isTerminated = true
        websocket.terminate()
        return true
      }
      let hasWaited = false
      let isWritable = false
      const { run } = isSignedIn(request) ? after : before
      run(() => {
        isWritable = !receiver.writableEnded && write(chunk)
        if (hasWaited) websocket.resume()
      })
      hasWaited = true
      // The library stops reading from the connection if the result is false.
      return isWritable
    }
  }

  const upgrade = server.handleUpgrade.bind(server)
  server.handleUpgrade = (request, socket, head, done) =>
    upgrade(request, socket, head, (websocket) => {
      limit(websocket, request)
      done(websocket)
    })
}
