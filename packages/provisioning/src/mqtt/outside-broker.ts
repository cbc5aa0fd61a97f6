import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@storey/kit/log'
import { connect, type IPublishPacket, type MqttClient } from 'mqtt'
import type { Receive, Sender } from './receive.ts'
import type { Tally } from './tally.ts'
import { ALL_DEVICES, ALL_TELEMETRY, isDeviceTopic, readTelemetryTopic } from './topics.ts'

export interface OutsideBrokerOptions {
  url: URL
  username: string
  password: string
  /** The same at every start: the broker keeps what comes meanwhile. */
  clientId: string
  /** The sandbox of an organization; undefined when it is not one of ours. */
  findSender(organizationId: string): Promise<Sender | undefined>
  receive: Receive
  tally: Tally
  log: Log
}

const MOST_WAITING = 256
const MOST_WAITING_BYTES = 64 * 1024 * 1024
const DRAIN_LIMIT_MS = 4_000
const RECONNECT_MS = 1_000

/** Nobody knows yet whose device it is: a message on such a topic is counted for all. */
const DEVICES: Sender = { slug: 'devices', organizationId: '' }

/** Reads the telemetry of all sandboxes from a broker of the operator's, as one client of it. */
export function createOutsideBroker(options: OutsideBrokerOptions) {
  const { receive, findSender, tally, log } = options
  /** A sandbox's messages go one after another; those of others do not wait for them. */
  const tails = new Map<string, Promise<unknown>>()
  const waiting = { messages: 0, bytes: 0, wake: [] as (() => void)[] }
  const ids = new WeakMap<IPublishPacket, number>()
  let client: MqttClient | undefined
  let closing = false

  async function handle(packet: IPublishPacket, payload: Buffer): Promise<boolean> {
    const { topic } = packet
    // What a broker kept and hands to every new reader is no news.
    if (packet.retain) return true
    const named = readTelemetryTopic(topic)
    const sender = isDeviceTopic(topic) ? DEVICES : named && (await findSender(named.organizationId))
    if (!sender) {
      tally.count('ignored')
      tally.warn(
        'strangers',
        { topic: JSON.stringify(topic.slice(0, 200)) },
        'a message is for no sandbox of this service, and is not read',
      )
      return true
    }
    const tell = (errors: string, text: string) => client?.publish(errors, text, { qos: 0 })
    return await receive(sender, { topic, payload, messageId: ids.get(packet) }, tell)
  }

  /** Acknowledged past the client's own order, in which one slow sandbox would hold up all others. */
  function take(stream: MqttClient['stream'], packet: IPublishPacket): void {
    const messageId = ids.get(packet)
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload
    const key = readTelemetryTopic(packet.topic)?.organizationId ?? ''
    waiting.messages++
    waiting.bytes += payload.length
    const turn = (tails.get(key) ?? Promise.resolve())
      .then(() => (stream.destroyed && messageId !== undefined ? true : handle(packet, payload)))
      .catch((err) => {
        log.error({ err }, 'an MQTT message could not be handled')
        return false
      })
      .then((done) => {
        waiting.messages--
        waiting.bytes -= payload.length
        if (tails.get(key) === turn) tails.delete(key)
        for (const wake of waiting.wake.splice(0)) wake()
        if (messageId === undefined || stream.destroyed) return
        if (done) stream.write(Buffer.from([0x40, 2, messageId >> 8, messageId & 255]))
        // A broker sends again what was not acknowledged when the connection is made anew.
        else if (!closing) stream.destroy()
      })
    tails.set(key, turn)
  }

  function hasRoom(): boolean {
    return waiting.messages < MOST_WAITING && waiting.bytes < MOST_WAITING_BYTES
  }

  function start(): void {
    const { url, username, password, clientId } = options
    const opened = connect(url.href, {
      username,
      password,
      clientId,
      clean: false,
      protocolVersion: 4,
      reconnectPeriod: RECONNECT_MS,
      reconnectOnConnackError: true,
      resubscribe: false,
    })
    client = opened
    // Handed to us as if nothing had to be acknowledged: we do that when the message is stored.
    opened.on('packetreceive', (packet) => {
      if (packet.cmd !== 'publish' || packet.qos === 0) return
      ids.set(packet, packet.messageId!)
      packet.qos = 0
    })
    opened.handleMessage = (packet, callback) => {
      if (closing) return callback()
      take(opened.stream, packet)
      if (hasRoom()) callback()
      else waiting.wake.push(callback)
    }
    opened.on('connect', () => {
      opened.subscribe([ALL_TELEMETRY, ALL_DEVICES], { qos: 1 }, (err, granted = []) => {
        const denied = granted.filter(({ qos }) => qos > 2).map(({ topic }) => topic)
        if (err || denied.length > 0) log.error({ err, denied }, 'the MQTT broker lets nobody subscribe to telemetry')
        else log.info({ url: url.href }, 'telemetry is read from the MQTT broker')
      })
    })
    opened.on('error', (err) => tally.warn('broker', { err }, 'the MQTT broker does not answer as it should'))
    opened.on('offline', () => tally.warn('offline', { url: url.href }, 'the MQTT broker is not reached'))
  }

  return {
    start,
    async close(): Promise<void> {
      closing = true
      await Promise.race([Promise.all(tails.values()), sleep(DRAIN_LIMIT_MS, undefined, { ref: false })])
      await client?.endAsync()
    },
  }
}
