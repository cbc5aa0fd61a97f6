import type { LiveEvent } from '@storey/contract'
import type { Socket } from 'socket.io'
import { createBroadcast } from './broadcast.ts'
import { type CatchUpReader, createCatchUp } from './catch-up.ts'
import { eventMessage } from './event-message.ts'
import type { LiveLimits } from './limits.ts'
import type { SendBudget } from './send-budget.ts'
import { createSequenceLog, type Entry } from './sequence-log.ts'

/** A socket that follows a building. */
interface Reader extends CatchUpReader {
  /** While live: when the socket's buffer was last empty, and how many bytes the channel had sent by then. */
  clear: { bytes: number; at: number }
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
 * events are sent together. Sockets that are behind catch up (`catch-up.ts`).
 */
export function createBuildingChannel({
  buildingId,
  limits,
  budget,
  drop,
  now = () => performance.now(),
}: BuildingChannelOptions) {
  const log = createSequenceLog({ ...limits.log, pieceBytes: limits.pieceBytes })
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
  let emptySince = now()

  const catchUp = createCatchUp({
    ...{ buildingId, limits, log, drop, now },
    flushed: () => flushed,
    onLive: ({ socket }) => markClear(readers.get(socket)!),
  })

  function markClear({ clear }: Reader): void {
    clear.bytes = flushedBytes
    clear.at = now()
  }

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
    const maxWaiting = maxWaitingNow()
    for (const reader of readers.values()) {
      if (reader.pace !== 'live' || !isSlow(reader, maxWaiting)) continue
      catchUp.slowDown(reader)
    }
    const batch = takeBatch()
    for (const { entry, fields } of batch) catchUp.add(entry, fields)
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
        // A reader that joined or resumed after some of these events were published gets only the later ones.
        broadcast.sendTo(reader.socket.conn, reader.sent - before)
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

  function maxWaitingNow() {
    const { websocket, polling, allPolls } = limits.maxWaiting
    let polls = 0
    for (const { socket } of readers.values()) if (socket.conn.transport.name === 'polling') polls++
    return { websocket, polling: Math.min(polling, allPolls / Math.max(1, polls)) }
  }

  function isSlow(reader: Reader, maxWaiting: { websocket: number; polling: number }): boolean {
    const { clear, socket } = reader
    const { transport } = socket.conn
    if (hasTakenAll(socket.conn)) {
      markClear(reader)
      return false
    }
    const waiting = flushedBytes - clear.bytes
    const max = transport.name === 'websocket' ? maxWaiting.websocket : maxWaiting.polling
    return waiting > max || (waiting > limits.slow.bytes && now() - clear.at > limits.slow.ms)
  }

  function enter(socket: Socket): Reader {
    const at = now()
    const clear = { bytes: flushedBytes, at }
    const reader: Reader = {
      ...{ socket, pace: 'live', sent: log.head(), clear },
      ...{ waits: false, piece: undefined, movedAt: at },
    }
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
      return { sequence: log.head(), start: catchUp.replay(reader, after) }
    },

    leave(socket: Socket): void {
      const reader = readers.get(socket)
      if (reader === undefined) return
      readers.delete(socket)
      catchUp.leave(reader)
      if (readers.size === 0) emptySince = now()
    },

    /** Closes the connections of sockets that have fallen behind and have read nothing for too long. */
    sweep(): void {
      for (const reader of readers.values()) if (catchUp.isStalled(reader)) drop(reader.socket)
    },

    /** Whether the channel has had no sockets for so long that none is expected to resume. */
    isAbandoned: (): boolean => readers.size === 0 && now() - emptySince > limits.lingerMs,

    close(): void {
      isClosed = true
      clearTimeout(timer)
      clearImmediate(slicing)
      catchUp.close()
    },
  }
}

/** A client that polls has taken everything when nothing waits for its next poll. */
const hasTakenAll = (conn: Socket['conn']): boolean =>
  conn.transport.writable || (conn.transport.name === 'polling' && waitingPackets(conn).length === 0)

/** Engine.IO has no public property for the packets that wait. */
const waitingPackets = (conn: Socket['conn']) => (conn as unknown as { writeBuffer: readonly unknown[] }).writeBuffer

export type BuildingChannel = ReturnType<typeof createBuildingChannel>
