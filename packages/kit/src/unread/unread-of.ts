import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs } from '../clock.ts'
import { readBytes } from './readings.ts'
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

/** A connection with no more unread bytes than this is closed normally, because the kernel keeps only little for it. */
const SMALL_BYTES = 64 * 1024
/** How often the unread bytes of a connection that is to be closed are measured. */
const CHECK_EVERY_MS = 100
/** A connection with more than SMALL_BYTES unread bytes is reset if its client reads nothing for this long. */
const PAUSE_LIMIT_MS = 1_000
/** After this time the connection is reset, even if the client still reads. */
const END_LIMIT_MS = 5_000

/**
 * Closes a connection after everything that was written is sent. While more than SMALL_BYTES are unread, the connection
 * stays open, because after a normal close the kernel would keep the unread bytes. If the client stops reading, the
 * connection is reset.
 */
export async function closeOrReset(socket: Socket): Promise<void> {
  setTimeout(() => socket.resetAndDestroy(), END_LIMIT_MS).unref()
  if (await isAlmostRead(socket)) socket.destroySoon()
  else socket.resetAndDestroy()
}

/** Waits until at most SMALL_BYTES are unread, or the socket is closed. False if the client stops reading before. */
async function isAlmostRead(socket: Socket): Promise<boolean> {
  let [read, readAt] = [-1, elapsedMs()]
  while (socket.bytesWritten > SMALL_BYTES && !socket.destroyed) {
    const inKernel = await unreadOf(socket)
    if (socket.writableLength + inKernel <= SMALL_BYTES) return true
    const readNow = readBytes(socket, inKernel) ?? read
    if (readNow > read) [read, readAt] = [readNow, elapsedMs()]
    else if (elapsedMs() - readAt > PAUSE_LIMIT_MS) return false
    await sleep(CHECK_EVERY_MS, undefined, { ref: false })
  }
  return true
}
