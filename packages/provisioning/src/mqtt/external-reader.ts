import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import { type IPublishPacket, MqttClient } from 'mqtt'
import { createArrivalTimes } from './arrival-times.ts'
import { createMemoryBudget, type Memory } from './memory-budget.ts'
import { publishAck } from './publish-packet.ts'
import type { Message } from './receive.ts'
import type { Tally } from './tally.ts'
import { openTruncating } from './truncating-socket.ts'

/** The operator's broker and our account there. */
export interface ExternalAccount {
  url: URL
  username: string
  password: string
}

export interface ReaderOptions {
  account: ExternalAccount
  /** The same at every start, so that the broker keeps the session and stores messages while the service is down. */
  clientId: string
  filters: readonly string[]
  clock: Clock
  /** False while another control plane reads the session: the broker keeps only the newest connection of a session. */
  isAssigned?(): boolean
  /** True when the message may be acknowledged. */
  handle(message: Message): Promise<boolean>
  memory: Memory
  tally: Tally
  onConnected(): void
  /** Called when the connection is lost or cannot be opened, and not again until the session has been connected. */
  onLost(): void
  log: Log
}

/** Limits of the messages that one reader keeps in memory. */
const MAX_WAITING = 64
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const DRAIN_LIMIT_MS = 4_000
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 4_000
export const RECONNECT_MS = 1_000

type Stream = MqttClient['stream']

/**
 * One session on the broker. Its messages are processed in order. A message with QoS 1 that cannot be stored is tried
 * again, and blocks only the messages behind it in this session. A message with QoS 0 is tried once.
 */
export function createReader(options: ReaderOptions) {
  const { account, clientId, filters, handle, tally, log } = options
  const { url, username, password } = account
  const budget = createMemoryBudget(MAX_WAITING_BYTES, options.memory)
  const ids = new WeakMap<IPublishPacket, number>()
  const nextArrival = createArrivalTimes(options.clock)
  const closing = new AbortController()
  const isAssigned = options.isAssigned ?? (() => true)
  let waiting = 0
  let tail: Promise<void> = Promise.resolve()
  let client: MqttClient | undefined

  /** True for a message with QoS 1 of a closed connection: after the reconnect, the broker sends it again. */
  const isOver = (stream: Stream, { messageId }: Message) => messageId !== undefined && stream.destroyed

  async function process(stream: Stream, message: Message): Promise<void> {
    const { messageId } = message
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      if (isOver(stream, message)) return
      const isDone = await handle(message).catch((err) => {
        log.error({ err }, 'MQTT message handling failed')
        return false
      })
      if (isDone || messageId === undefined) break
      if (closing.signal.aborted) return
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
    if (messageId !== undefined && !stream.destroyed) stream.write(publishAck(1, messageId))
  }

  /** Resolves when the next message may be read. */
  async function take(stream: Stream, message: Message): Promise<void> {
    const bytes = message.payload.length
    const isReserved = () => waiting < MAX_WAITING && budget.reserve(bytes)
    while (!isReserved()) {
      if (isOver(stream, message) || closing.signal.aborted) return
      await new Promise<void>((resolve) => budget.onFree(resolve))
    }
    waiting++
    tail = tail
      .then(() => process(stream, message))
      .finally(() => {
        waiting--
        budget.release(bytes)
      })
  }

  function messageOf(packet: IPublishPacket): Message {
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload
    return { topic: packet.topic, payload, arrivedAt: nextArrival(), messageId: ids.get(packet) }
  }

  function start(): void {
    const opened = new MqttClient(() => (isAssigned() ? openTruncating(url) : new Socket().destroy()), {
      username,
      password,
      clientId,
      clean: false,
      protocolVersion: 4,
      // Jitter, so that readers do not all reconnect at the same moment.
      reconnectPeriod: RECONNECT_MS * (0.75 + Math.random() / 2),
      reconnectOnConnackError: true,
      resubscribe: false,
    })
    client = opened
    // The client library gets the message as QoS 0, so that it sends no acknowledgement. `process` sends the
    // acknowledgement after the message is stored.
    opened.on('packetreceive', (packet) => {
      if (packet.cmd !== 'publish' || packet.qos === 0) return
      ids.set(packet, packet.messageId!)
      packet.qos = 0
    })
    opened.handleMessage = (packet, callback) => {
      if (closing.signal.aborted) return callback()
      take(opened.stream, messageOf(packet)).then(() => callback())
    }
    opened.on('connect', () => {
      options.onConnected()
      opened.subscribe([...filters], { qos: 1 }, (err, granted = []) => {
        const denied = granted.filter(({ qos }) => qos > 2).map(({ topic }) => topic)
        if (err || denied.length > 0) {
          tally.warn('denied', { err, denied }, 'external MQTT broker refused the subscription')
        } else log.debug({ url: url.href, clientId }, 'subscribed to external MQTT broker')
      })
    })
    opened.on('error', (err) => tally.warn('broker', { err }, 'external MQTT broker error'))
    opened.on('offline', () => isAssigned() && options.onLost())
  }

  return {
    start,
    isAssigned,
    isConnected: (): boolean => client?.connected === true,
    /** Removes a subscription that an earlier version created in this session. */
    unsubscribe: (filter: string): void => void client?.unsubscribe(filter, () => undefined),
    /**
     * Closes the connection, after a short wait for messages in progress. The broker sends again what was not
     * acknowledged.
     */
    async close(): Promise<void> {
      closing.abort()
      await Promise.race([tail, sleep(DRAIN_LIMIT_MS, undefined, { ref: false })])
      await client?.endAsync(true)
    },
  }
}

export type Reader = ReturnType<typeof createReader>

/** Makes the broker drop a session that is no longer used. */
export async function dropSession({ url, username, password }: ExternalAccount, clientId: string): Promise<void> {
  const client = new MqttClient(() => openTruncating(url), {
    ...{ username, password, clientId, clean: true, protocolVersion: 4 },
    reconnectPeriod: 0,
  })
  client.on('error', () => undefined)
  await new Promise<void>((resolve) => client.once('connect', () => resolve()).once('close', () => resolve()))
  await client.endAsync(true)
}
