import { Socket } from 'node:net'

/** The maximum number of bytes of one read. */
export const MAX_READ_BYTES = 256 * 1024

/**
 * All connections read into this buffer, because a new buffer for each read would be work for the garbage collector. It
 * can be shared, because a read and its callback run without interruption.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(MAX_READ_BYTES)

/**
 * The same connection as another socket, which calls back with the bytes that it reads. They are valid until the callback
 * returns. Call this before the socket reads anything. Node has no public way to set the buffer of an existing socket.
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
