import type { Duplex } from 'node:stream'

/** How long the peer may take to read the last response, and how long it may keep sending after that. */
const FLUSH_LIMIT_MS = 3_000
const LINGER_MS = 500

/**
 * Closes a connection after a last response. It keeps reading for a moment, because closing with unread bytes resets
 * the connection and the response is lost.
 */
export function closeAfterResponse(socket: Duplex, last?: string | Buffer): void {
  if (socket.destroyed) return
  if (!socket.writable) return void socket.destroy()
  const destroy = () => socket.destroy()
  let timer = setTimeout(destroy, FLUSH_LIMIT_MS)
  socket.once('finish', () => {
    clearTimeout(timer)
    timer = setTimeout(destroy, LINGER_MS)
  })
  socket.once('close', () => clearTimeout(timer))
  socket.on('error', destroy)
  socket.end(last)
  socket.resume()
}
