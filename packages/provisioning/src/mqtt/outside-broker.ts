import { setTimeout as sleep } from 'node:timers/promises'
import { isNotNow } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Memory } from './allowance.ts'
import { createErrorPublisher } from './error-publisher.ts'
import { createReader, dropSession, type OutsideAccount, type Reader } from './outside-reader.ts'
import type { Message, Receive, Sender } from './receive.ts'
import type { Tally } from './tally.ts'
import { ALL_DEVICES, ALL_TELEMETRY, isDeviceTopic, readTelemetryTopic, telemetryOf } from './topics.ts'

export interface OutsideSandbox extends Sender {
  sandboxId: string
}

export interface OutsideBrokerOptions {
  account: OutsideAccount
  /** Begins the names of all our sessions there. */
  clientId: string
  /** Those that are there, in whatever state. */
  listSandboxes(): Promise<OutsideSandbox[]>
  receive: Receive
  tally: Tally
  log: Log
}

const MAX_MEMORY_BYTES = 512 * 1024 * 1024
const LOOK_EVERY_MS = 5_000
/** Sessions that are opened at a time, with a breath between. */
const AT_A_TIME = 20
const BREATH_MS = 100

/** Nobody knows yet whose device it is: a message on such a topic is counted for all. */
const DEVICES: Sender = { slug: 'devices', organizationId: '' }

/**
 * Reads the telemetry of all sandboxes from a broker of the operator's, each in a session of its own: what a broker lets
 * be unacknowledged is bounded for a session, so one sandbox that cannot store would stop all others.
 */
export function createOutsideBroker(options: OutsideBrokerOptions) {
  const { account, clientId, listSandboxes, receive, tally, log } = options
  const memory: Memory = { used: 0, maxBytes: MAX_MEMORY_BYTES }
  const errors = createErrorPublisher(account, `${clientId}-errors`, tally)
  const readers = new Map<string, Reader>()
  const closing = new AbortController()
  /** As they were listed last, by organization. */
  let known = new Map<string, OutsideSandbox>()
  let looking: Promise<void> | undefined
  let lookAgain = false
  let running: Promise<void> | undefined

  const devices = createReader({
    ...{ account, clientId, memory, tally, log },
    filters: [ALL_DEVICES],
    handle: (message) => {
      if (isDeviceTopic(message.topic)) return receive(DEVICES, message, errors.tell)
      return take(known.get(readTelemetryTopic(message.topic)?.organizationId ?? ''), message)
    },
  })

  function readerOf(sandbox: OutsideSandbox): Reader {
    const { sandboxId, organizationId } = sandbox
    const present = readers.get(sandboxId)
    if (present) return present
    const reader = createReader({
      ...{ account, clientId: sessionOf(sandboxId), memory, tally, log },
      filters: [telemetryOf(organizationId)],
      handle: (message) => take(sandbox, message),
    })
    readers.set(sandboxId, reader)
    reader.start()
    return reader
  }

  const sessionOf = (sandboxId: string) => `${clientId}-${sandboxId}`

  async function take(sandbox: OutsideSandbox | undefined, message: Message): Promise<boolean> {
    if (sandbox !== undefined) return await receive(sandbox, message, errors.tell)
    tally.count('ignored')
    return true
  }

  async function look(): Promise<void> {
    const sandboxes = await listSandboxes()
    known = new Map(sandboxes.map((sandbox) => [sandbox.organizationId, sandbox]))
    let opened = 0
    for (const sandbox of sandboxes) {
      if (closing.signal.aborted) return
      if (readers.has(sandbox.sandboxId)) continue
      readerOf(sandbox)
      if (++opened % AT_A_TIME === 0) await sleep(BREATH_MS)
    }
    const present = new Set(sandboxes.map(({ sandboxId }) => sandboxId))
    for (const [sandboxId, reader] of readers) {
      if (present.has(sandboxId)) continue
      readers.delete(sandboxId)
      void reader.close().then(() => dropSession(account, sessionOf(sandboxId)))
    }
  }

  /** One look at a time; a poke during a look asks for one more. */
  function poke(): Promise<void> {
    lookAgain = true
    looking ??= (async () => {
      while (lookAgain && !closing.signal.aborted) {
        lookAgain = false
        await look().catch((err) => {
          if (!isNotNow(err)) log.error({ err }, 'the MQTT broker is not read for every sandbox')
        })
      }
      looking = undefined
    })()
    return looking
  }

  async function run(): Promise<void> {
    const pause = () => sleep(LOOK_EVERY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
    for (let looks = 0; !closing.signal.aborted; looks++) {
      await poke()
      await pause()
      // An earlier version read all telemetry in this session: it ends when every sandbox is read in its own.
      if (looks === 0) devices.unsubscribe(ALL_TELEMETRY)
    }
  }

  return {
    start(): void {
      errors.start()
      devices.start()
      running = run()
    },
    /** Sandboxes come and go. */
    changed: (): void => void (running && poke()),
    async close(): Promise<void> {
      closing.abort()
      await looking
      await Promise.all([devices, ...readers.values()].map((reader) => reader.close()))
      await errors.close()
    },
  }
}
