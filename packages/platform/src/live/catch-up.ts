import type { EventEmitter } from 'node:events'
import type { Socket } from 'socket.io'
import { type Backlog, createBacklog } from './backlog.ts'
import type { LiveLimits } from './limits.ts'
import type { Entry, Piece, SequenceLog } from './sequence-log.ts'
import { createSharedPieces } from './shared-pieces.ts'

/** A socket that follows a building, with the state that catching up needs. */
export interface CatchUpReader {
  socket: Socket
  /**
   * `live`: receives each event; `replay`: reads missed events from the log; `slow`: reads the last value of each
   * point, and the events of other kinds, from the backlog.
   */
  pace: 'live' | 'replay' | 'slow'
  /** The number of the last event that was sent to the socket. */
  sent: number
  /** While not live: whether a sent message has not been written yet. */
  waits: boolean
  /** While slow: the piece that was sent and has not been written yet. */
  piece: Piece | undefined
  /** While not live: when the last message was sent or written, or the pace changed. */
  movedAt: number
}

export interface CatchUpOptions {
  buildingId: string
  limits: LiveLimits
  log: SequenceLog
  /** The number of the last event that was sent to the sockets that are live. */
  flushed(): number
  onLive(reader: CatchUpReader): void
  drop(socket: Socket): void
  now(): number
}

/**
 * The sockets of a building that are behind. A socket that falls behind reads from the backlog, and a socket that
 * resumes reads from the log, piece by piece, until it has caught up. A piece is sent when the previous piece has been
 * written.
 */
export function createCatchUp({ buildingId, limits, log, flushed, onLive, drop, now }: CatchUpOptions) {
  let backlog: Backlog | undefined
  let slowReaders = 0
  /** The pieces of the backlog that are on their way to slow sockets. */
  const unwritten = createSharedPieces(limits.slowBytes)
  /** Slow sockets that wait until earlier pieces have been written to others. */
  const queue: CatchUpReader[] = []
  let resuming: NodeJS.Immediate | undefined
  let isClosed = false

  function setPace(reader: CatchUpReader, pace: CatchUpReader['pace']): void {
    slowReaders += Number(pace === 'slow') - Number(reader.pace === 'slow')
    reader.pace = pace
    reader.movedAt = now()
    if (slowReaders === 0) backlog = undefined
    else backlog ??= createBacklog(buildingId, limits.others)
  }

  /** Sends the first piece from the backlog when the connection has written earlier packets, or can take new ones. */
  function pumpWhenWritten(reader: CatchUpReader): void {
    reader.waits = true
    const { conn } = reader.socket
    const { transport } = conn
    const events = [
      // The connection has passed its buffer to the transport, or the transport has written the packets it had.
      [conn, 'drain'],
      [transport, 'drain'],
      // A poll or another transport can take packets now.
      [transport, 'ready'],
      [conn, 'upgrade'],
    ] as [EventEmitter, string][]
    const goOn = () => {
      for (const [emitter, event] of events) emitter.off(event, goOn)
      onWritten(reader)
    }
    for (const [emitter, event] of events) emitter.once(event, goOn)
  }

  function onWritten(reader: CatchUpReader): void {
    reader.waits = false
    reader.movedAt = now()
    releasePiece(reader)
    // Those that wait already come first.
    if (reader.pace === 'slow' && reader.sent < flushed() && queue.length > 0) queue.push(reader)
    else pump(reader)
  }

  function releasePiece(reader: CatchUpReader): void {
    if (reader.piece !== undefined && unwritten.remove(reader.piece) === 0) backlog?.forget(reader.piece)
    reader.piece = undefined
    if (queue.length > 0 && !isClosed) resuming ??= setImmediate(pumpQueue)
  }

  /** Sends to a slice of the waiting sockets per turn of the event loop. */
  function pumpQueue(): void {
    resuming = undefined
    for (let i = 0; i < limits.slice && queue.length > 0 && !unwritten.isFull(); i++) pump(queue.shift()!)
    if (queue.length > 0 && !unwritten.isFull()) resuming ??= setImmediate(pumpQueue)
  }

  /**
   * Sends the next piece to a reader. Is called again when this piece has been written. If no piece is left, the reader
   * is live again.
   */
  function pump(reader: CatchUpReader): void {
    const { socket, pace, sent } = reader
    if (pace === 'live' || reader.waits) return
    if (pace === 'slow' && sent < flushed() && unwritten.isFull()) return void queue.push(reader)
    const piece = pace === 'replay' ? log.piece(sent) : backlog!.piece(sent, flushed())
    if (piece === undefined) {
      setPace(reader, 'live')
      onLive(reader)
    } else if (piece === 'lost') drop(socket)
    else send(reader, piece)
  }

  function send(reader: CatchUpReader, piece: Piece): void {
    const { conn } = reader.socket
    reader.sent = piece.sequence
    if (reader.pace === 'slow') {
      reader.piece = piece
      unwritten.add(piece)
    }
    const packets = piece.broadcast.packetsFor(conn, piece.from)
    const [message, options] = packets.pop()!
    for (const packet of packets) conn.send(...packet)
    reader.waits = true
    reader.movedAt = now()
    conn.send(message, options, () => onWritten(reader))
  }

  return {
    /** Adds an event to the backlog, if there are slow sockets. */
    add: (entry: Entry, fields: Record<string, unknown>): void => backlog?.add(entry, fields),

    /** The socket reads from the backlog from now on. */
    slowDown(reader: CatchUpReader): void {
      setPace(reader, 'slow')
      pumpWhenWritten(reader)
    },

    /** When the returned function is called, the socket receives the events after this number from the log. */
    replay(reader: CatchUpReader, after: number): () => void {
      setPace(reader, 'replay')
      reader.sent = after
      return () => pump(reader)
    },

    leave(reader: CatchUpReader): void {
      setPace(reader, 'live')
      releasePiece(reader)
    },

    /** Whether the socket has read nothing for too long. The limit is shorter if other sockets wait for this one. */
    isStalled: ({ pace, waits, movedAt, piece }: CatchUpReader): boolean =>
      pace !== 'live' &&
      waits &&
      now() - movedAt > (piece !== undefined && queue.length > 0 ? limits.stallWhileOthersWaitMs : limits.stallMs),

    close(): void {
      isClosed = true
      clearImmediate(resuming)
    },
  }
}
