/** Functions for Node's sockets and HTTP parser. Most use properties that are not in Node's public interface. */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** How many bytes are read from a client that keeps sending after the gateway has ended the connection. */
const MAX_READ_AFTER_END = 256 * 1024

/**
 * Whether a request offers an upgrade, for example to h2c. If the gateway ignores the offer, Node's parser drops the
 * bytes after the request, so the connection cannot be used for another request.
 */
export const offersUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '')

/** If `onIncoming` returns this number, the parser ignores all bytes after the head of the request. */
const STOP = 2

/**
 * Stops the parser when `isOver` returns true. Otherwise Node would parse everything that it has read, even if the
 * connection was destroyed at the first of a thousand requests. Node has no public way to stop the parser.
 */
export function stopParserWhen(socket: Socket, isOver: () => boolean): void {
  const { parser } = socket as { parser?: { onIncoming?: (request: IncomingMessage, keepsAlive: boolean) => number } }
  const take = parser?.onIncoming
  if (parser && take) parser.onIncoming = (request, keepsAlive) => (isOver() ? STOP : take(request, keepsAlive))
}

/** The property of a parser that holds its callback for a parsed part. Node calls it after each part. */
const ON_EXECUTE = 5

/** Calls back after each part of the client's bytes that was read and parsed. Node has no public event for it. */
export function afterParsing(socket: Socket, callback: () => void): void {
  const { parser } = socket as { parser?: Record<number, unknown> }
  const execute = parser?.[ON_EXECUTE] as ((...args: unknown[]) => void) | undefined
  if (parser && execute)
    parser[ON_EXECUTE] = (...args: unknown[]) => {
      execute(...args)
      callback()
    }
}

/** Sets whether Node closes the connection when both sides have ended it. Node has no public setting for it. */
export function setAutoDestroy(socket: Socket, autoDestroy: boolean): void {
  Object.assign((socket as unknown as { _readableState: object })._readableState, { autoDestroy })
}

/** Discards what the client still sends, without parsing it, and stops reading after `MAX_READ_AFTER_END` bytes. */
export function readAfterEnd(socket: Socket): void {
  let left = MAX_READ_AFTER_END
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) socket.pause()
  })
  socket.resume()
}

export interface FollowedMessages {
  /** How many messages have begun since `followMessages` was called. */
  begun(): number
}

/** The property of a parser that holds its callback for the first byte of a message. */
const ON_MESSAGE_BEGIN = 0

/** Counts the messages whose first byte arrives from now on. Node has no public event for the first byte. */
export function followMessages(socket: Socket): FollowedMessages {
  const { parser } = socket as { parser?: Record<number, unknown> }
  let begun = 0
  if (parser)
    parser[ON_MESSAGE_BEGIN] = () => {
      begun++
    }
  return { begun: () => begun }
}
