import type { LiveEvent, LiveMeta } from '@storey/contract'
import type { Socket } from 'socket.io'
import { type Backlog, createBacklog } from './backlog.ts'
import type { LiveLimits } from './limits.ts'
import { createSequenceLog, type Piece } from './sequence-log.ts'

/** How a socket follows a building. */
interface Reader {
  socket: Socket
  /** `live`: gets what is broadcast; `replay`: reads the log; `slow`: gets last values from the backlog. */
  pace: 'live' | 'replay' | 'slow'
  /** The number it has come to, while it is not live. */
  sent: number
  /** While live: where the log stood when nothing waited for it, and when that was. */
  clear: { bytes: number; at: number }
  /** While not live: whether a message waits for it, and when the last one went. */
  waits: boolean
  movedAt: number
}

export interface RoomOptions {
  buildingId: string
  limits: LiveLimits
  /** To all sockets of the Socket.IO room that has the building's id for a name. */
  broadcast(name: LiveEvent, fields: Record<string, unknown>, meta: LiveMeta): void
  /** Ends a connection that does not keep up; its client is to come again, and resume. */
  drop(socket: Socket): void
  now?(): number
}

/**
 * The sockets that follow a building. Those who keep up are sent the same bytes at once. One that does not leaves the
 * Socket.IO room, and is sent a piece whenever the one before has gone, until it has caught up and is let in again.
 */
export function createRoom(options: RoomOptions) {
  const { buildingId, limits, broadcast, drop, now = () => performance.now() } = options
  const log = createSequenceLog(limits.log)
  const readers = new Map<Socket, Reader>()
  let backlog: Backlog | undefined
  let slowReaders = 0
  let emptySince = now()

  function setPace(reader: Reader, pace: Reader['pace']): void {
    if (reader.pace === 'slow') slowReaders--
    reader.pace = pace
    if (pace === 'live') {
      reader.clear = { bytes: log.total(), at: now() }
      void reader.socket.join(buildingId)
    } else {
      reader.movedAt = now()
      void reader.socket.leave(buildingId)
    }
    if (pace === 'slow') slowReaders++
    if (slowReaders > 0) backlog ??= createBacklog(buildingId, limits.others)
    else backlog = undefined
  }

  function isSlow({ socket, clear }: Reader, at: number): boolean {
    const { transport } = socket.conn
    if (transport.writable) {
      clear.bytes = log.total()
      clear.at = at
      return false
    }
    const waiting = log.total() - clear.bytes
    const most = transport.name === 'websocket' ? limits.mostWaiting.websocket : limits.mostWaiting.polling
    return waiting > most || (waiting > limits.slow.bytes && at - clear.at > limits.slow.ms)
  }

  function afterDrain(reader: Reader): void {
    reader.waits = true
    reader.socket.conn.once('drain', () => {
      reader.waits = false
      reader.movedAt = now()
      pump(reader)
    })
  }

  /** Sends the next piece, if there is one. Where the connection takes it at once, the one after it follows. */
  function pump(reader: Reader): void {
    const { socket, pace, sent } = reader
    if (readers.get(socket) !== reader || pace === 'live') return
    const piece = pace === 'replay' ? log.piece(sent, limits.pieceBytes) : backlog!.piece(sent, log.head())
    if (piece === undefined) setPace(reader, 'live')
    else if (piece === 'lost') drop(socket)
    else send(reader, piece)
  }

  function send(reader: Reader, piece: Piece): void {
    const { conn } = reader.socket
    reader.sent = piece.sequence
    const last = piece.messages.pop()!
    for (const message of piece.messages) conn.send(message)
    afterDrain(reader)
    conn.send(last)
  }

  function enter(socket: Socket, pace: 'live' | 'replay', sent: number): Reader {
    const clear = { bytes: 0, at: 0 }
    const reader: Reader = { socket, pace, sent, clear, waits: false, movedAt: 0 }
    readers.set(socket, reader)
    setPace(reader, pace)
    return reader
  }

  return {
    publish(name: LiveEvent, fields: Record<string, unknown>): void {
      const at = now()
      let live = 0
      for (const reader of readers.values()) {
        if (reader.pace !== 'live') continue
        if (isSlow(reader, at)) {
          reader.sent = log.head()
          setPace(reader, 'slow')
          afterDrain(reader)
        } else live++
      }
      const entry = log.append(name, fields)
      backlog?.add(entry, fields)
      if (live > 0) broadcast(name, fields, { sequence: entry.sequence })
    },

    /** The number of the last event the socket was sent, or would have been. */
    join(socket: Socket): number {
      const { pace, sent } = readers.get(socket) ?? enter(socket, 'live', 0)
      return pace === 'live' ? log.head() : sent
    },

    /** Joins the socket behind this number. Undefined, and nothing is joined, when what came after it has gone. */
    resume(socket: Socket, after: number): { sequence: number; start(): void } | undefined {
      if (!log.holds(after)) return undefined
      const reader = readers.get(socket) ?? enter(socket, 'replay', after)
      setPace(reader, 'replay')
      reader.sent = after
      return { sequence: log.head(), start: () => (reader.waits ? undefined : pump(reader)) }
    },

    leave(socket: Socket): void {
      const reader = readers.get(socket)
      if (reader === undefined) return
      // Out of the Socket.IO room, and not counted as slow.
      setPace(reader, 'replay')
      readers.delete(socket)
      if (readers.size === 0) emptySince = now()
    },

    /** Looks for sockets that take nothing. */
    sweep(): void {
      for (const { socket, pace, movedAt } of readers.values()) {
        if (pace !== 'live' && now() - movedAt > limits.stallMs) drop(socket)
      }
    },

    /** Whether it was without sockets for so long that nobody is expected back. */
    isAbandoned: (): boolean => readers.size === 0 && now() - emptySince > limits.lingerMs,
  }
}

export type Room = ReturnType<typeof createRoom>
