import type { Socket } from 'node:net'
import { clientKey, readSendQueues } from './send-queues.ts'

/** Unfinished reads of send queues, by port. Hundreds of connections that close at the same time share a read. */
const reads = new Map<number, ReturnType<typeof readSendQueues>>()

/**
 * The number of bytes that the kernel keeps for one connection, because the client has not acknowledged them: they are
 * unread, or have not arrived yet. 0 if the system does not report this number.
 */
export async function unreadOf({ localPort = 0, remoteAddress, remotePort }: Socket): Promise<number> {
  const read = reads.get(localPort) ?? readSendQueues(localPort).finally(() => reads.delete(localPort))
  reads.set(localPort, read)
  return (await read)?.get(clientKey(remoteAddress, remotePort)) ?? 0
}

/** If no more than this was written to a connection, it is not checked, because only little data can be unread. */
const SMALL_BYTES = 64 * 1024
/**
 * After this time the connection is destroyed, even if the client has not read everything. Only this limit ends a
 * connection whose unread bytes are not checked, or not reported by the system.
 */
const END_LIMIT_MS = 5_000

/**
 * Closes a connection after everything that was written is sent. If more than SMALL_BYTES were written and the client
 * has not acknowledged all of them, the connection is reset immediately instead, because after a normal close the
 * kernel would keep the unacknowledged bytes.
 */
export async function closeOrReset(socket: Socket): Promise<void> {
  setTimeout(() => socket.destroy(), END_LIMIT_MS).unref()
  if (socket.bytesWritten > SMALL_BYTES && (await unreadOf(socket)) > 0) socket.resetAndDestroy()
  else socket.destroySoon()
}
