import type { Readable, Writable } from 'node:stream'
import { freeBuffer } from '@storey/kit/free-buffer'

/**
 * Forwards a body as it arrives, and frees each piece when it is sent. The returned function stops the forwarding, and
 * leaves the rest of the body unread.
 */
export function passBody(from: Readable, to: Writable): () => void {
  const pass = (piece: Buffer) => {
    if (!to.write(piece, () => freeBuffer(piece))) from.pause()
  }
  const resume = () => from.resume()
  const release = () => {
    from.off('data', pass).off('end', end)
    to.off('drain', resume).off('close', stop)
  }
  const end = () => {
    release()
    to.end()
  }
  const stop = () => {
    if (from.listeners('data').includes(pass)) from.pause()
    release()
  }
  from.on('data', pass).once('end', end).resume()
  to.on('drain', resume).once('close', stop)
  return stop
}
