import type { LiveEvent } from '@storey/contract'
import type { Socket } from 'socket.io'
import { type Backlog, createBacklog } from './backlog.ts'
import { createBroadcast } from './broadcast.ts'
import { eventMessage } from './event-message.ts'
import type { LiveLimits } from './limits.ts'
import type { SendBudget } from './send-budget.ts'
import { createSequenceLog, type Entry, type Piece } from './sequence-log.ts'

/** A socket that follows a building. */
interface Reader {
  socket: Socket
  /**
   * `live`: receives each event; `replay`: reads missed events from the log; `slow`: reads the last value of each
   * point, and the events of other kinds, from the backlog.
   */
  pace: 'live' | 'replay' | 'slow'
  /** The number of the last event that was sent to the socket. */
  sent: number
  /** While live: when the socket's buffer was last empty, and how many bytes the channel had sent by then. */
  clear: { bytes: number; at: number }
  /** While not live: whether a sent message has not drained yet. */
  waits: boolean
  /** While not live: when the last message drained, or the pace changed. */
  movedAt: number
}

/** A published event. */
interface Waiting {
  entry: Entry
  fields: Record<string, unknown>
}

export interface BuildingChannelOptions {
  buildingId: string
  limits: LiveLimits
  budget: SendBudget
  /** Closes a connection that does not keep up; its client reconnects and resumes. */
  drop(socket: Socket): void
  now?(): number
}

/**
 * The sockets that follow a building. Sockets that keep up all receive the same bytes. An event is sent immediately,
 * unless sending takes too much of the process's time, or most clients have not read the earlier events: then several
 * events are sent together. A socket that falls behind reads from the backlog, and a socket that resumes reads from the
 * log, piece by piece, until it has caught up. A piece is sent when the previous piece has drained.
 */
export function createBuildingChannel({
  buildingId,
  limits,
  budget,
  drop,
  now = () => performance.now(),
}: BuildingChannelOptions) {
  const log = createSequenceLog(limits.log)
  const readers = new Map<Socket, Reader>()
  /** Events that wait for a flush. */
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let waitingSince = now()
  /** The number of the last flushed event; all later events wait. */
  let flushed = log.head()
  let flushedBytes = 0
  let isMeasuring = false
  let isClosed = false
  let restUntil = 0
  let timer: NodeJS.Timeout | undefined
  let slicing: NodeJS.Immediate | undefined
  let backlog: Backlog | undefined
  let slowReaders = 0
  let emptySince = now()

  function schedule(): void {
    const rest = restUntil - now()
    if (rest <= 0) flushOrWait()
    else timer = setTimeout(flushOrWait, rest)
  }

  /** Flushes when most clients have read what was sent before, too many bytes wait, or an event waits too long. */
  function flushOrWait(): void {
    timer = undefined
    if (now() - waitingSince > limits.waiting.ms) budget.ignoreUnread()
    if (budget.available() > 0 || waitingBytes > limits.waiting.bytes) flush()
    else void measure()
  }

  async function measure(): Promise<void> {
    isMeasuring = true
    await budget.measure()
    isMeasuring = false
    if (isClosed) return
    if (budget.available() > 0) flush()
    else timer = setTimeout(flushOrWait, limits.waiting.checkMs)
  }

  /** The oldest events: as many as the budget allows, more if too many bytes wait, and at least one. */
  function takeBatch(): Waiting[] {
    const available = Math.max(budget.available(), waitingBytes - limits.waiting.bytes)
    let [count, bytes] = [0, 0]
    while (count < waiting.length && (count === 0 || bytes < available)) bytes += waiting[count++]!.entry.fields.length
    waitingBytes -= bytes
    flushedBytes += bytes
    budget.spend(bytes)
    return waiting.splice(0, count)
  }

  function flush(): void {
    const start = now()
    waitingSince = start
    for (const reader of readers.values()) {
      if (reader.pace !== 'live' || !isSlow(reader, start)) continue
      setPace(reader, 'slow')
      afterDrain(reader)
    }
    const batch = takeBatch()
    for (const { entry, fields } of batch) backlog?.add(entry, fields)
    const messages = batch.map(({ entry }) => eventMessage(entry.name, entry.fields, entry))
    const broadcast = createBroadcast(messages)
    const before = flushed
    flushed += batch.length
    const all = [...readers.values()]
    sendSlice(0, now() - start)

    /**
     * Sends to a slice of the sockets per turn of the event loop, so that requests do not wait for a thousand sockets.
     */
    function sendSlice(from: number, tookMs: number): void {
      const begin = now()
      const next = from + limits.slice
      for (const reader of all.slice(from, next)) {
        if (reader.pace !== 'live' || readers.get(reader.socket) !== reader) continue
        const { conn } = reader.socket
        if (reader.sent === before) broadcast.sendTo(conn)
        // A reader that joined or resumed after some of these events were published gets only the later ones.
        else for (const message of messages.slice(reader.sent - before)) conn.send(message)
        reader.sent = Math.max(reader.sent, before + messages.length)
      }
      const sum = tookMs + now() - begin
      slicing = next < all.length ? setImmediate(sendSlice, next, sum) : undefined
      if (slicing !== undefined) return
      restUntil = now() + restAfter(sum)
      if (waiting.length > 0) schedule()
    }
  }

  /**
   * The length of the pause after a flush. The pause leaves time for requests, here and in proxies: a flush causes a
   * proxy about as much work as this process.
   */
  function restAfter(tookMs: number): number {
    const { times, perReaderMs, maxMs } = limits.pause
    return Math.min(maxMs, Math.max(tookMs * times, readers.size * perReaderMs))
  }

  function isSlow({ socket, clear }: Reader, at: number): boolean {
    const { transport } = socket.conn
    if (transport.writable) {
      clear.bytes = flushedBytes
      clear.at = at
      return false
    }
    const waiting = flushedBytes - clear.bytes
    const max = transport.name === 'websocket' ? limits.maxWaiting.websocket : limits.maxWaiting.polling
    return waiting > max || (waiting > limits.slow.bytes && at - clear.at > limits.slow.ms)
  }

  function setPace(reader: Reader, pace: Reader['pace']): void {
    slowReaders += Number(pace === 'slow') - Number(reader.pace === 'slow')
    reader.pace = pace
    reader.clear = { bytes: flushedBytes, at: now() }
    reader.movedAt = now()
    if (slowReaders === 0) backlog = undefined
    else backlog ??= createBacklog(buildingId, limits.others)
  }

  function afterDrain(reader: Reader): void {
    reader.waits = true
    reader.socket.conn.once('drain', () => {
      reader.waits = false
      reader.movedAt = now()
      pump(reader)
    })
  }

  /**
   * Sends the next piece to a reader. Is called again when this piece has drained. If no piece is left, the reader is
   * live again.
   */
  function pump(reader: Reader): void {
    const { socket, pace, sent } = reader
    if (readers.get(socket) !== reader || pace === 'live') return
    const piece = pace === 'replay' ? log.piece(sent, limits.pieceBytes) : backlog!.piece(sent, flushed)
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

  function enter(socket: Socket): Reader {
    const clear = { bytes: flushedBytes, at: now() }
    const reader: Reader = { socket, pace: 'live', sent: log.head(), clear, waits: false, movedAt: now() }
    readers.set(socket, reader)
    return reader
  }

  return {
    publish(name: LiveEvent, fields: Record<string, unknown>): void {
      const entry = log.append(name, fields)
      if (waiting.length === 0) waitingSince = now()
      waiting.push({ entry, fields })
      waitingBytes += entry.fields.length
      if (timer === undefined && slicing === undefined && !isMeasuring) schedule()
    },

    /** Joins the socket to the channel. Returns the number of the event after which the socket receives all events. */
    join: (socket: Socket): number => (readers.get(socket) ?? enter(socket)).sent,

    /**
     * Joins the socket to the channel; when `start` is called, the socket receives the events after this number. If
     * these events are no longer kept, returns undefined and does not join the socket.
     */
    resume(socket: Socket, after: number): { sequence: number; start(): void } | undefined {
      if (!log.holds(after)) return undefined
      const reader = readers.get(socket) ?? enter(socket)
      setPace(reader, 'replay')
      reader.sent = after
      return { sequence: log.head(), start: () => (reader.waits ? undefined : pump(reader)) }
    },

    leave(socket: Socket): void {
      const reader = readers.get(socket)
      if (reader === undefined) return
      setPace(reader, 'live')
      readers.delete(socket)
      if (readers.size === 0) emptySince = now()
    },

    /** Closes the connections of sockets that have fallen behind and have read nothing for too long. */
    sweep(): void {
      for (const { socket, pace, movedAt } of readers.values()) {
        if (pace !== 'live' && now() - movedAt > limits.stallMs) drop(socket)
      }
    },

    /** Whether the channel has had no sockets for so long that none is expected to resume. */
    isAbandoned: (): boolean => readers.size === 0 && now() - emptySince > limits.lingerMs,

    close(): void {
      isClosed = true
      clearTimeout(timer)
      clearImmediate(slicing)
    },
  }
}

export type BuildingChannel = ReturnType<typeof createBuildingChannel>
