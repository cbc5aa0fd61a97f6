import { randomInt } from 'node:crypto'
import { CHANGE_KINDS, type ChangeKind } from '@storey/contract'
import type { Socket } from 'socket.io'
import type { Caller } from '../caller.ts'
import { type Broadcast, createBroadcast } from './broadcast.ts'
import { changeMessage } from './event-message.ts'
import type { LiveLimits } from './limits.ts'

/** A socket that is notified of changes. */
interface Reader {
  socket: Socket
  /**
   * The number of the last event that was sent to the socket. If none was sent yet: the number of the last event before
   * the socket joined.
   */
  sent: number
  /** Whether the last event is still in the send buffer of the connection. */
  waits: boolean
  /** When the last event was sent to the socket. If none was sent yet: when the socket joined. */
  movedAt: number
  /** The number of joins that are not answered yet. No event is sent to the socket until all joins are answered. */
  joining: number
  isAcknowledged: boolean
}

interface Joined {
  sequence: number
  kinds: ChangeKind[]
  end(isAcknowledged: boolean): void
}

export interface ChangeChannelOptions {
  buildingId: string
  limits: LiveLimits
  /** Closes a connection that does not keep up; its client reconnects. */
  drop(socket: Socket): void
  now?(): number
  /** The first number. It is random, so that a number of another process is not mistaken for one of this channel. */
  base?: number
}

/**
 * Notifies sockets of the kinds of data that changed in a building. Changes within a short time are one event. For a
 * socket that does not keep up, at most one event waits. Its next event has all kinds that changed meanwhile.
 */
export function createChangeChannel({
  buildingId,
  limits,
  drop,
  now = () => performance.now(),
  base = randomInt(2 ** 48 - 1) + 1,
}: ChangeChannelOptions) {
  const readers = new Map<Socket, Reader>()
  /** The number of the last event of each kind. */
  const changedAt = new Map<ChangeKind, number>()
  const pending = new Set<ChangeKind>()
  /**
   * The encoded events with the number `head`. The key is the last number that was sent to a reader: all readers with
   * the same last number get the same event.
   */
  let broadcasts = new Map<number, Broadcast>()
  let head = base
  let timer: NodeJS.Timeout | undefined
  let slicing: NodeJS.Immediate | undefined
  let emptySince = now()

  const changedAfter = (sequence: number) => CHANGE_KINDS.filter((kind) => (changedAt.get(kind) ?? base) > sequence)

  function flush(): void {
    timer = undefined
    if (slicing !== undefined) {
      // The previous event is still being sent.
      schedule()
      return
    }
    head++
    broadcasts = new Map()
    for (const kind of pending) changedAt.set(kind, head)
    pending.clear()
    sendSlice([...readers.values()], 0)
  }

  function schedule(): void {
    timer ??= setTimeout(flush, limits.changesMs)
  }

  /**
   * Sends the event to a slice of the sockets per turn of the event loop, so that requests do not wait until a thousand
   * sockets are served.
   */
  function sendSlice(all: readonly Reader[], from: number): void {
    const next = from + limits.slice
    for (const reader of all.slice(from, next)) send(reader)
    slicing = next < all.length ? setImmediate(sendSlice, all, next) : undefined
  }

  function send(reader: Reader): void {
    const { socket, sent } = reader
    if (reader.waits || reader.joining > 0 || sent === head || readers.get(socket) !== reader) return
    const broadcast = broadcasts.get(sent) ?? createBroadcast([changeMessage(buildingId, changedAfter(sent), head)])
    broadcasts.set(sent, broadcast)
    reader.sent = head
    reader.waits = true
    reader.movedAt = now()
    socket.conn.once('drain', () => {
      reader.waits = false
      send(reader)
    })
    broadcast.sendTo(socket.conn)
  }

  const newReader = (socket: Socket): Reader => ({
    socket,
    sent: head,
    waits: false,
    movedAt: now(),
    joining: 0,
    isAcknowledged: false,
  })

  function leave(socket: Socket): void {
    if (readers.delete(socket) && readers.size === 0) emptySince = now()
  }

  return {
    add(kinds: readonly ChangeKind[]): void {
      for (const kind of kinds) pending.add(kind)
      if (pending.size > 0) schedule()
    },

    /**
     * Joins the socket. Returns the number of the last event that was sent to it, and the kinds that changed after
     * `after`, the number that the client knows. These are all kinds if `after` is absent or not a number of this
     * channel. The caller must call `end`. Then the socket gets later changes, or is removed if none of its joins was
     * acknowledged.
     */
    join(socket: Socket, after: number | undefined): Joined {
      const reader = readers.get(socket) ?? newReader(socket)
      readers.set(socket, reader)
      reader.joining++
      const isKnown = after !== undefined && after >= base && after <= head
      const end = (isAcknowledged: boolean) => {
        reader.joining--
        reader.isAcknowledged ||= isAcknowledged
        if (reader.isAcknowledged || reader.joining > 0) send(reader)
        else if (readers.get(socket) === reader) leave(socket)
      }
      return { sequence: reader.sent, kinds: isKnown ? changedAfter(after) : [...CHANGE_KINDS], end }
    },

    leave,

    /** Whether a signed-in person follows the building. */
    hasPerson: (): boolean => [...readers.keys()].some(({ data }) => (data as Caller).isPerson),

    sweep(): void {
      for (const { socket, waits, movedAt } of readers.values()) {
        if (waits && now() - movedAt > limits.stallMs) drop(socket)
      }
    },

    isAbandoned: (): boolean => readers.size === 0 && now() - emptySince > limits.lingerMs,

    close(): void {
      clearTimeout(timer)
      clearImmediate(slicing)
    },
  }
}

export type ChangeChannel = ReturnType<typeof createChangeChannel>
