import { setTimeout as sleep } from 'node:timers/promises'
import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import { isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { createErrorPublisher } from './error-publisher.ts'
import { createReader, dropSession, type ExternalAccount, type Reader } from './external-reader.ts'
import type { Memory } from './memory-budget.ts'
import { createOutageLog } from './outage-log.ts'
import type { Message, Receive, Sender } from './receive.ts'
import type { Tally } from './tally.ts'
import { ALL_DEVICES, ALL_TELEMETRY, isDeviceTopic, readTelemetryTopic, telemetryOf } from './topics.ts'

export interface ExternalSandbox extends Sender {
  sandboxId: string
}

/** Which sandboxes this control plane reads, if several control planes share them. */
export interface ReaderAssignment {
  /** Takes sandboxes that nobody reads, up to the share of this control plane. Returns all sandboxes that it reads. */
  assign(sandboxIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Lets other control planes read these sandboxes. Call it after the sessions of the sandboxes are closed here. */
  release(sandboxIds: readonly string[]): Promise<void>
  isAssigned(sandboxId: string): boolean
}

export interface ExternalBrokerOptions {
  account: ExternalAccount
  /** The prefix of our client ids. */
  clientId: string
  /** All sandboxes that are neither expired nor being removed. */
  listSandboxes(): Promise<ExternalSandbox[]>
  /** Absent if this process reads all sandboxes. */
  readers?: ReaderAssignment | undefined
  /** Whether this process leads. Only the leader reads the device topics. */
  isLeader(): boolean
  /**
   * Part of the client id of the connection that publishes errors, so that each control plane has a client id of
   * its own; absent if no other control plane serves at the same time.
   */
  planeId?: string | undefined
  clock: Clock
  receive: Receive
  tally: Tally
  log: Log
}

const MAX_MEMORY_BYTES = 512 * 1024 * 1024
const CHECK_EVERY_MS = 5_000
/** How many sessions are opened between two pauses. */
const AT_A_TIME = 20
const PAUSE_MS = 100

/** Device topics belong to no sandbox: their messages are counted together. */
const DEVICES: Sender = { slug: 'devices', organizationId: '' }

/**
 * Reads the telemetry of all sandboxes from the operator's broker, in one session per sandbox: brokers limit
 * unacknowledged messages per session, so in a shared session one sandbox that cannot store its messages would block
 * all others.
 */
export function createExternalBroker(options: ExternalBrokerOptions) {
  const { account, clientId, listSandboxes, readers: assignment, isLeader, clock, receive, tally, log } = options
  const memory: Memory = { used: 0, maxBytes: MAX_MEMORY_BYTES }
  const errors = createErrorPublisher(account, [clientId, 'errors', options.planeId ?? []].flat().join('-'), tally)
  const readers = new Map<string, Reader>()
  const loop = createLoop({ name: 'mqtt-sessions', log, run, everyMs: CHECK_EVERY_MS, isExpected: isUnavailable })
  /** The sandboxes of the last run, by organization. */
  let known = new Map<string, ExternalSandbox>()
  /** When to remove the subscription that earlier versions created. Undefined: not started yet, or removed already. */
  let unsubscribeAt: number | undefined
  let isStarted = false

  const outages = createOutageLog(account.url, log)
  /** The broker is unreachable when no session is connected. */
  const observed = (session: string) => ({
    onConnected: outages.connected,
    onLost: () => {
      if (sessions().connected === 0) outages.lost()
      else tally.warn('session', { url: account.url.href, session }, 'session at external MQTT broker lost')
    },
  })

  const devices = createReader({
    ...{ account, clientId, clock, memory, tally, log, isAssigned: isLeader },
    ...observed(clientId),
    filters: [ALL_DEVICES],
    handle: (message) => {
      if (isDeviceTopic(message.topic)) return take(DEVICES, message)
      return take(known.get(readTelemetryTopic(message.topic)?.organizationId ?? ''), message)
    },
  })

  function readerOf(sandbox: ExternalSandbox): Reader {
    const { sandboxId, organizationId } = sandbox
    const present = readers.get(sandboxId)
    if (present) return present
    const reader = createReader({
      ...{ account, clientId: sessionOf(sandboxId), clock, memory, tally, log },
      ...observed(sessionOf(sandboxId)),
      isAssigned: () => assignment?.isAssigned(sandboxId) ?? true,
      filters: [telemetryOf(organizationId)],
      handle: (message) => take(sandbox, message),
    })
    readers.set(sandboxId, reader)
    reader.start()
    return reader
  }

  /** How many of our sessions are connected, and how many are not. */
  function sessions(): { connected: number; disconnected: number } {
    const all = [devices, ...readers.values()].filter((reader) => reader.isAssigned())
    const connected = all.filter((reader) => reader.isConnected()).length
    return { connected, disconnected: all.length - connected }
  }

  const sessionOf = (sandboxId: string) => `${clientId}-${sandboxId}`

  /** True if the message can be acknowledged. */
  async function take(sandbox: Sender | undefined, message: Message): Promise<boolean> {
    if (sandbox !== undefined) return (await receive(sandbox, message, errors.publish)) !== 'unstored'
    tally.count('ignored')
    return true
  }

  async function run(signal: AbortSignal): Promise<void> {
    const sandboxes = await listSandboxes()
    known = new Map(sandboxes.map((sandbox) => [sandbox.organizationId, sandbox]))
    const present = new Set(sandboxes.map(({ sandboxId }) => sandboxId))
    const own = assignment ? await assignment.assign([...present]) : present
    await closeOthers(own, present)
    let opened = 0
    for (const sandbox of sandboxes) {
      if (signal.aborted) return
      if (!own.has(sandbox.sandboxId) || readers.has(sandbox.sandboxId)) continue
      readerOf(sandbox)
      if (++opened % AT_A_TIME === 0) await sleep(PAUSE_MS)
    }
    // Earlier versions read all telemetry in the session of `devices`, so their subscription is removed from it.
    if (unsubscribeAt === undefined || performance.now() < unsubscribeAt || !isLeader()) return
    devices.unsubscribe(ALL_TELEMETRY)
    unsubscribeAt = undefined
  }

  /** Closes the readers of sandboxes that expired or were removed, or that another control plane reads from now on. */
  async function closeOthers(own: ReadonlySet<string>, present: ReadonlySet<string>): Promise<void> {
    const moved: Promise<string>[] = []
    for (const [sandboxId, reader] of readers) {
      if (own.has(sandboxId)) continue
      readers.delete(sandboxId)
      const closed = reader.close()
      if (present.has(sandboxId)) moved.push(closed.then(() => sandboxId))
      else void closed.then(() => dropSession(account, sessionOf(sandboxId)))
    }
    if (moved.length > 0) await assignment?.release(await Promise.all(moved))
  }

  return {
    start(): void {
      errors.start()
      devices.start()
      isStarted = true
      unsubscribeAt = performance.now() + CHECK_EVERY_MS
      loop.start()
    },
    /** Call it when a sandbox was created or removed. */
    changed: (): void => {
      if (isStarted) loop.wake()
    },
    memory: () => ({ waitingBytes: memory.used, maxWaitingBytes: memory.maxBytes }),
    sessions,
    async close(): Promise<void> {
      await loop.stop()
      await Promise.all([devices, ...readers.values()].map((reader) => reader.close()))
      await assignment?.release([...readers.keys()]).catch(() => undefined)
      await errors.close()
    },
  }
}
