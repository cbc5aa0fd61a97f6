import type { Socket } from 'node:net'
import { clientKey, readSendQueues } from './send-queues.ts'

/** How many bytes the client of a connection has read, and how many written bytes it has not read yet. */
export interface Reading {
  read: number
  /** The bytes that the client has read since the previous measurement. */
  readSince: number
  /** The bytes that were written and are not read yet. */
  unread: number
  /** All bytes that were written until the kernel's send queues were last read. */
  checked: number
}

export interface Readings {
  of(socket: Socket): Reading
  /** False if the system does not report the unread bytes in the kernel, so only those in this process are counted. */
  isComplete: boolean
}

/** If more bytes than this were written to a connection since its last check, the kernel may hold unread bytes. */
const UNCHECKED_BYTES = 64 * 1024

interface Handle {
  bytesWritten: number
  writeQueueSize: number
}

/**
 * How many bytes the client has read, if the kernel still keeps `inKernel` bytes for it. Undefined if the socket is
 * closed.
 */
export function readBytes(socket: Socket, inKernel: number): number | undefined {
  // The handle counts the bytes of a large write during the write; the socket counts them only after the write.
  const { _handle: handle } = socket as unknown as { _handle: Handle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize - inKernel : undefined
}

/**
 * Measures what clients have read on the connections of one port. The kernel buffers about 4 MB for a client that does
 * not read, so the kernel's send queues are read too. This takes a few milliseconds, and happens only if the kernel may
 * hold unread bytes of a connection.
 */
export function createReadings(sockets: () => Iterable<Socket>): () => Promise<Readings> {
  let last = new Map<Socket, Reading>()

  function mayHaveUnread(socket: Socket): boolean {
    const { unread, checked } = last.get(socket) ?? NOTHING
    const isInKernel = unread > 0 || socket.bytesWritten - checked > UNCHECKED_BYTES
    return isInKernel || socket.writableEnded || socket.writableLength > 0
  }

  function readingOf(socket: Socket, queues: Map<string, number> | undefined, isChecked: boolean): Reading {
    const before = last.get(socket) ?? NOTHING
    const inKernel = queues?.size ? (queues.get(clientKey(socket.remoteAddress, socket.remotePort)) ?? 0) : 0
    const read = readBytes(socket, inKernel) ?? before.read
    return {
      read,
      readSince: Math.max(0, read - before.read),
      unread: socket.writableLength + inKernel,
      checked: isChecked ? socket.bytesWritten : before.checked,
    }
  }

  return async () => {
    const candidate = [...sockets()].find(mayHaveUnread)
    const queues = candidate ? await readSendQueues(candidate.localPort) : new Map<string, number>()
    const readings = new Map<Socket, Reading>()
    for (const socket of sockets()) readings.set(socket, readingOf(socket, queues, candidate !== undefined))
    last = readings
    return { of: (socket) => readings.get(socket) ?? NOTHING, isComplete: queues !== undefined }
  }
}

const NOTHING: Reading = { read: 0, readSince: 0, unread: 0, checked: 0 }
