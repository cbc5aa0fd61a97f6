import { Socket } from 'node:net'

/** The maximum number of bytes of one read. */
export const MAX_READ_BYTES = 256 * 1024

/**
 * All connections read into this buffer, because a new buffer for each read would be work for the garbage collector. It
 * can be shared, because a read and its callback run without interruption.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(MAX_READ_BYTES)

/**
 * Returns a new socket for the same connection, which calls `take` with the bytes that it reads. They are valid until
 * `take` returns. Call this before `received` reads anything. A new socket is needed, because Node has no public way to
 * set the buffer of an existing one.
 */
export function withReadBuffer(received: Socket, take: (bytes: Buffer) => void): Socket {
  const internals = received as unknown as { _handle: unknown }
  const { _handle: handle } = internals
  internals._handle = null
  const callback = (length: number): boolean => {
    take(READ_BUFFER.subarray(0, length))
    return true
  }
  const options = { handle, allowHalfOpen: true, onread: { buffer: READ_BUFFER, callback } }
  return new Socket(options as never).resume()
}
