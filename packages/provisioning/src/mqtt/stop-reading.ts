import type { Socket } from 'node:net'

/**
 * Stops reading for ever, and returns the bytes that the socket has read and nobody has taken. A paused socket
 * continues to read until its buffer is full, and Node has no public way to stop that.
 */
export function stopReading(socket: Socket): Buffer {
  const { _handle: handle } = socket as unknown as { _handle: { readStop(): void } | null }
  socket.pause()
  const chunks: Buffer[] = []
  for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) chunks.push(chunk)
  // Taking bytes out of the buffer has started reading again.
  handle?.readStop()
  return Buffer.concat(chunks)
}
