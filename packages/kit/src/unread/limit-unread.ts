import type { Socket } from 'node:net'
import { createReadings } from './readings.ts'
import { MAX_UNREAD_BYTES, takeSlowest, unreadIn } from './slowest.ts'

/**
 * Limits the bytes that all clients of these connections together leave unread. Each call of the returned function
 * resets the connections of the slowest clients, until the other clients have at most `maxBytes` unread.
 */
export function createUnreadLimit(sockets: () => Iterable<Socket>, maxBytes = MAX_UNREAD_BYTES): () => Promise<void> {
  const measure = createReadings(sockets)
  return async () => {
    const readings = await measure()
    const unread = [...sockets()].flatMap((socket) => unreadIn(socket, readings.of(socket)) ?? [])
    for (const { socket } of takeSlowest(maxBytes, unread)) socket.resetAndDestroy()
  }
}
