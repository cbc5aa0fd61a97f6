import type { Duplex } from 'node:stream'

/** How long the other side may take to read its last answer, and how long it may go on after that. */
const FLUSH_LIMIT_MS = 3_000
const LINGER_MS = 500

/**
 * Ends a connection with a last answer, whatever the other side does. It reads on for a moment: a connection that is
 * ended with bytes unread is reset, and the answer is lost with it.
 */
export function closeHard(socket: Duplex, last?: string | Buffer): void {
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
