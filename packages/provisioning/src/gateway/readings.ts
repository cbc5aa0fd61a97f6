import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { readSendQueues } from './send-queues.ts'

/** What a client has read of the responses on its connection, in bytes. */
export interface Reading {
  read: number
  /** What it has read since the previous measurement. */
  readSince: number
  /** What was written to the connection and is not read yet. */
  unread: number
  /** How many bytes had been written when the kernel's send queues were last read. */
  checked: number
}

export interface Readings {
  of(connection: Connection): Reading
  /**
   * False if the system does not report the send queues of the kernel, so that only unread bytes in this process count.
   */
  isComplete: boolean
}

/** A connection to which more than this was written may have unread bytes in the kernel. */
const UNCHECKED_BYTES = 64 * 1024

interface Handle {
  bytesWritten: number
  writeQueueSize: number
}

/**
 * Measures what clients have read. The kernel buffers some 4 MB of responses for a client that does not read, so the
 * kernel's send queues are read too. This takes some milliseconds and happens only if a connection may have unread
 * bytes there.
 */
export function createReadings(connections: Connections, localPort: () => number): () => Promise<Readings> {
  let last = new Map<Connection, Reading>()

  function mayHaveUnread(connection: Connection): boolean {
    const { socket, isLingering } = connection
    const { unread, checked } = last.get(connection) ?? NOTHING
    return isLingering || unread > 0 || socket.writableLength > 0 || socket.bytesWritten - checked > UNCHECKED_BYTES
  }

  function readingOf(connection: Connection, queues: Map<string, number> | undefined, isChecked: boolean): Reading {
    const { socket, clientKey } = connection
    const before = last.get(connection) ?? NOTHING
    const inKernel = queues?.get(clientKey) ?? 0
    // The handle counts the bytes of a large write while it is in progress, the socket counts them only at its end.
    const { _handle: handle } = socket as unknown as { _handle: Handle | null }
    const read = handle ? handle.bytesWritten - handle.writeQueueSize - inKernel : before.read
    return {
      read,
      readSince: Math.max(0, read - before.read),
      unread: socket.writableLength + inKernel,
      checked: isChecked ? socket.bytesWritten : before.checked,
    }
  }

  return async () => {
    const isChecked = [...connections.all()].some(mayHaveUnread)
    const queues = isChecked ? await readSendQueues(localPort()) : new Map<string, number>()
    const readings = new Map<Connection, Reading>()
    for (const connection of connections.all()) readings.set(connection, readingOf(connection, queues, isChecked))
    last = readings
    return { of: (connection) => readings.get(connection) ?? NOTHING, isComplete: queues !== undefined }
  }
}

const NOTHING: Reading = { read: 0, readSince: 0, unread: 0, checked: 0 }
