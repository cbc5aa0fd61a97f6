import type { Socket } from 'node:net'
import { DIRECT_BODY_BYTES } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import type { SandboxCache } from '../gateway/index.ts'
import { createLentConnections, type DirectIngestTransfer, type RunningStack, type StackPool } from '../stacks/index.ts'
import type { Session } from './sessions.ts'
import type { MqttOutcome, Tally } from './tally.ts'
import { readTelemetryTopic } from './topics.ts'

export interface DirectPublishersOptions {
  sandboxCache: Pick<SandboxCache, 'find'>
  stacks: Pick<StackPool, 'use' | 'stopUnresponsive'>
  tally: Pick<Tally, 'count'>
  /** How long a stack may be silent while it serves connections. */
  silenceLimitMs: number
  /**
   * False if tracing is on: messages on a transferred connection bypass the control plane, so their traces would lack
   * the spans of the control plane.
   */
  isEnabled: boolean
}

/** A message whose handling has ended. If its outcome is `unstored`, it was not acknowledged. */
export interface HandledMessage {
  /** Type and flags of its packet. */
  firstByte: number
  topic: string
  bytes: number
  outcome: MqttOutcome
}

/** A client is busy after this many messages in a row, each within `PAUSE_MS` after the one before. */
const MESSAGES = 16
const PAUSE_MS = 1_000
/** PUBLISH with QoS 1, sent for the first time or again, and not retained. */
const PLAIN = new Set([0x32, 0x3a])
/** A stack returns an idle connection after two seconds. The client must be allowed to be silent for longer. */
const MIN_SILENCE_MS = 3_000
/**
 * How long a connection is not read while its messages are handled. After this time the connection is read again, and
 * is not transferred.
 */
const HANDLED_LIMIT_MS = 5_000
/** A connection is not transferred if more bytes than this were read from it and are not handled yet. */
const MAX_READ_BYTES = DIRECT_BODY_BYTES

/** The plain messages (see `PLAIN`) that a client has sent to one topic in a row. */
interface Streak {
  topic: string
  count: number
  lastAt: number
}

interface Transfer {
  topic: string
  stack: RunningStack
  direct: DirectIngestTransfer
  /** Resolves when every message so far is handled. */
  handled: Promise<unknown>
  /** Called with the number of messages that the stack has stored. */
  stored(count: number): void
}

/**
 * Transfers the connections of busy publishers to their stacks. A stack returns a connection when a packet arrives that
 * is neither a plain message nor a ping, when the stack does not store a message, or when the client is idle. The stack
 * also returns the bytes that it has not handled, such as those of that packet. The session itself is not transferred.
 */
export function createDirectPublishers(options: DirectPublishersOptions) {
  const { sandboxCache, stacks, tally } = options
  const lent = createLentConnections(options)
  const streaks = new WeakMap<Session, Streak>()
  /**
   * How many messages in a row a client needs for a transfer. The number doubles each time the stack returns the
   * connection with bytes that it has not handled, or because something has to be written to the client.
   */
  const needed = new WeakMap<Session, number>()
  const transferring = new WeakSet<Session>()
  let track: (socket: Socket) => void = () => undefined
  let isClosed = !options.isEnabled

  const neededBy = (session: Session) => needed.get(session) ?? MESSAGES

  function isBusy(session: Session): boolean {
    const count = streaks.get(session)?.count ?? 0
    return !isClosed && count >= neededBy(session) && session.unreleased.size === 0
  }

  async function begin(session: Session, topic: string): Promise<void> {
    const { connection, sandbox } = session
    const row = await sandboxCache.find(sandbox.slug)
    if (!row || row.suspendedAt !== null) return
    let storedAt = elapsedMs()
    const { stack, release } = await stacks.use(row, { lastCallAt: () => storedAt })
    try {
      if (!stack.directIngest || !lent.hasCapacity(stack) || !isBusy(session)) return
      connection.stop()
      const stored = (count: number) => {
        if (count > 0) storedAt = elapsedMs()
        tally.count('ingested', count)
      }
      const transferred = transfer(session, { topic, stack, direct: stack.directIngest, handled: session.tail, stored })
      // Later messages of the session, such as its will, wait until the connection is back.
      session.tail = transferred.catch(() => undefined)
      await transferred
    } finally {
      connection.start()
      release()
    }
  }

  /** Resolves when the connection is back, or has ended. */
  async function transfer(session: Session, { topic, stack, direct, handled, stored }: Transfer): Promise<void> {
    const { connection, sandbox } = session
    const limit = setTimeout(() => connection.start(), HANDLED_LIMIT_MS).unref()
    await handled
    await connection.written()
    clearTimeout(limit)
    const taken = isBusy(session) && !direct.isClosed() ? connection.detach(MAX_READ_BYTES) : undefined
    if (taken === undefined) return
    const end = lent.lend(stack, sandbox.sandboxId)
    const buildingId = readTelemetryTopic(topic)!.buildingId.toLowerCase()
    const { returned, recall } = direct.transferPublisher(
      taken.socket,
      { topic, buildingId, read: taken.read },
      {
        onReport: () => lent.noteReport(stack),
        stored,
      },
    )
    let isRecalled = false
    connection.lent(() => {
      isRecalled = true
      recall()
    })
    const back = await returned
    end()
    streaks.delete(session)
    if (back === undefined) return void connection.destroy(new Error('the stack has exited'))
    if (back.read.length > 0 || isRecalled) needed.set(session, neededBy(session) * 2)
    if (back.socket) track(back.socket)
    connection.attach(back)
  }

  return {
    /** Calls back with each connection that a stack returns. */
    onReturned(callback: (socket: Socket) => void): void {
      track = callback
    },
    /** Transfers the connection if the client is busy. */
    handled(session: Session, { firstByte, topic, bytes, outcome }: HandledMessage): void {
      const isPlain = PLAIN.has(firstByte) && outcome === 'ingested' && bytes <= DIRECT_BODY_BYTES
      const silenceMs = session.connection.silenceLimitMs
      const mayBeSilent = silenceMs === 0 || silenceMs >= MIN_SILENCE_MS
      if (!isPlain || !mayBeSilent) return void streaks.delete(session)
      const now = performance.now()
      const streak = streaks.get(session)
      const isNext = streak?.topic === topic && now - streak.lastAt < PAUSE_MS
      streaks.set(session, { topic, count: isNext ? streak.count + 1 : 1, lastAt: now })
      if (!isBusy(session) || transferring.has(session)) return
      transferring.add(session)
      void begin(session, topic)
        .catch(() => undefined)
        .finally(() => transferring.delete(session))
    },
    /** Call when a packet that is neither a message nor a ping has arrived. */
    interrupted(session: Session): void {
      streaks.delete(session)
    },
    /** Transfers no more connections, and asks the stacks to return all transferred connections. */
    close(): void {
      isClosed = true
      lent.close()
    },
  }
}

export type DirectPublishers = ReturnType<typeof createDirectPublishers>
