import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync, MqttClient } from 'mqtt'
import { generate, type Packet } from 'mqtt-packet'
import { freePort } from '../acceptance/system/system.ts'
import { closeFixture, type Fixture, openFixture, type Verdict, whileNeighbourWorks } from './fixture.ts'
import { openRawSocket } from './raw-socket.ts'

/**
 * Attacks on the MQTT broker: a thousand connections that send nothing, stop within CONNECT or use another protocol,
 * clients that guess passwords, and a sandbox's owner who publishes messages that are slow to validate, messages that
 * are never completed, or many short packets. The devices of another sandbox must still connect and get their
 * acknowledgements. Idle connections must be closed. An argument selects cases by title.
 */

const only = process.argv[3] ?? ''
const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60)
const CONNECTIONS = 1_000
const GUESSERS = 20
const REOPEN_MS = 1_000
const NEIGHBOUR_ADDRESS = '127.0.0.9'
/** The pause after a device has disconnected, before the next one connects. */
const DEVICE_EVERY_MS = 500
const DEVICE_LIMIT_MS = 3_000
/** A connection that sends nothing is closed after this time at the latest. */
const IDLE_LIMIT_MS = 8_000
const ANNOUNCED_BYTES = 10 * 1024 * 1024 - 2_000
/** How long a client waits before it disconnects within a message. */
const ABANDON_AFTER_MS = 60
const WRITE_LIMIT_MS = 3_000

const port = await freePort()
const fixture = await openFixture({ MQTT_ENABLED: 'true', MQTT_PORT: `${port}` })
const cases: [title: string, attack: (over: AbortSignal) => Promise<void>][] = [
  ['connections that send nothing', (over) => keepConnections(over, [Buffer.alloc(0)])],
  [
    'incomplete CONNECT packets, and other protocols',
    (over) =>
      keepConnections(over, [
        Buffer.from([0x10, 60, 0, 4]),
        Buffer.from([0x10, 0xff]),
        Buffer.from('GET / HTTP/1.1\r\n\r\n'),
        Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n'),
      ]),
  ],
  ['password guesses', guess],
  ['messages that are slow to validate', sendSlowMessages],
  ['messages that are never completed', (over) => abandonMessages(over, 3, ANNOUNCED_BYTES - 1_000)],
  ['messages of which little arrives', (over) => abandonMessages(over, 50, 1_000)],
  ['many short packets', flood],
]
const IDLE = 'idle connections are closed'
const verdicts: Verdict[] = []
for (const [title, attack] of cases.filter(([title]) => title.includes(only))) {
  verdicts.push(await whileDevicesWork(title, attack))
}
if (IDLE.includes(only)) verdicts.push(await idleAreClosed())
await closeFixture(fixture, verdicts)

async function whileDevicesWork(title: string, attack: (over: AbortSignal) => Promise<void>): Promise<Verdict> {
  const slow: string[] = []
  let served = 0
  const verdict = await whileNeighbourWorks(fixture, title, { quietSeconds: 10, seconds: SECONDS }, async (over) => {
    const devices = (async () => {
      for (; !over.aborted; await sleep(DEVICE_EVERY_MS)) {
        const limit = sleep(2 * DEVICE_LIMIT_MS, 'no acknowledgement', { ref: false })
        const failure = await Promise.race([device(fixture).catch((err: Error) => err.message), limit])
        if (failure === undefined) served++
        else slow.push(failure)
      }
    })()
    await attack(over)
    await devices
  })
  process.stdout.write(
    `a neighbour's devices: ${served} served, ${slow.length} not served ${slow.slice(0, 3).join('; ')}\n\n`,
  )
  return { holds: verdict.holds && slow.length === 0 && served > 0 }
}

/** Connects and publishes. Returns the duration if it was too long, and throws if a step failed. */
async function device({ neighbour }: Fixture): Promise<string | undefined> {
  const began = Date.now()
  const { username, password, topic } = neighbour.connection.mqtt
  // New connections are limited by address, so the neighbour has another address than the attacker.
  const open = () => connect({ host: '127.0.0.1', port, localAddress: NEIGHBOUR_ADDRESS })
  const client = new MqttClient(open, { username, password, reconnectPeriod: 0, connectTimeout: DEVICE_LIMIT_MS })
  await new Promise((resolve, reject) => client.once('connect', resolve).once('error', reject).once('close', reject))
  // The broker acknowledges a message without observations, and stores nothing.
  await client.publishAsync(topic, '{"observations":[]}', { qos: 1 })
  await client.endAsync()
  const tookMs = Date.now() - began
  return tookMs > DEVICE_LIMIT_MS ? `${tookMs} ms` : undefined
}

/** Keeps a thousand connections, each opened again a second after it was closed. */
async function keepConnections(over: AbortSignal, openings: readonly Buffer[]): Promise<void> {
  const isOver = untilAborted(over)
  const one = async (opening: Buffer) => {
    while (!over.aborted) {
      const opened = await openRawSocket(port).catch(() => undefined)
      opened?.write(opening)
      await Promise.race([opened?.closed, isOver])
      opened?.end()
      await sleep(REOPEN_MS)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => one(openings[i % openings.length]!)))
}

async function guess(over: AbortSignal): Promise<void> {
  const username = fixture.neighbour.connection.mqtt.username as string
  const isOver = untilAborted(over)
  const one = async () => {
    while (!over.aborted) {
      const password = `${Math.random()}`
      const options = { username, password, reconnectPeriod: 0, connectTimeout: 15_000 }
      const guessing = connectAsync(`mqtt://127.0.0.1:${port}`, options).then((client) => client.endAsync(true))
      await Promise.race([guessing.catch(() => undefined), isOver])
      await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: GUESSERS }, one))
}

async function sendSlowMessages(over: AbortSignal): Promise<void> {
  const { username, password, topic } = fixture.target.connection.mqtt
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { username, password, reconnectPeriod: 500 })
  client.on('error', () => undefined)
  const unknown = Array.from({ length: 20_000 }, (_, i) => ({
    pointId: `00000000-0000-8000-8000-${i.toString(16).padStart(12, '0')}`,
    value: '1',
  }))
  const isOver = untilAborted(over)
  const payloads = [JSON.stringify({ observations: unknown }), Buffer.alloc(11 * 1024 * 1024), '['.repeat(1_000_000)]
  for (let i = 0; !over.aborted; i++) {
    await Promise.race([client.publishAsync(topic, payloads[i % payloads.length]!, { qos: 1 }), isOver])
  }
  await client.endAsync(true)
}

/** Clients of the owner announce long messages, send only some of their bytes, disconnect, and connect again. */
async function abandonMessages(over: AbortSignal, clients: number, sentBytes: number): Promise<void> {
  const { username, password, topic } = fixture.target.connection.mqtt
  const payload = Buffer.alloc(ANNOUNCED_BYTES, ' ')
  const connect = { cmd: 'connect', clean: true, protocolId: 'MQTT', protocolVersion: 4 } as const
  const publish = { cmd: 'publish', topic, payload, qos: 1, messageId: 7, dup: false, retain: false } as const
  const begun = generate(publish).subarray(0, sentBytes)
  const one = async (clientId: string) => {
    while (!over.aborted) {
      const opened = await openRawSocket(port).catch(() => undefined)
      if (opened === undefined) {
        await sleep(REOPEN_MS)
        continue
      }
      opened.write(generate({ ...connect, clientId, username, password: Buffer.from(password) }))
      await opened.until((received) => received.length >= 4)
      const written = new Promise<void>((resolve) => opened.socket.write(begun, () => resolve()))
      await Promise.race([written, opened.closed, sleep(WRITE_LIMIT_MS)])
      await sleep(ABANDON_AFTER_MS)
      opened.end()
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, i) => one(`client-${i}`)))
}

/** Clients of the owner send short packets that store nothing, as fast as the broker reads them. */
async function flood(over: AbortSignal): Promise<void> {
  const { username, password } = fixture.target.connection.mqtt
  const connect = { cmd: 'connect', clean: true, protocolId: 'MQTT', protocolVersion: 4 } as const
  const publish = { cmd: 'publish', topic: 'a', payload: 'x', qos: 0, dup: false, retain: false } as const
  const packets: Packet[] = [publish, { cmd: 'pingreq' }, { cmd: 'pubrel', messageId: 5 }]
  const one = async (packet: Packet, clientId: string) => {
    const opened = await openRawSocket(port)
    opened.write(generate({ ...connect, clientId, username, password: Buffer.from(password) }))
    const many = Buffer.concat(Array.from({ length: 5_000 }, () => generate(packet)))
    const isOver = untilAborted(over)
    while (!over.aborted && !opened.socket.destroyed) {
      const written = new Promise<void>((resolve) => opened.socket.write(many, () => resolve()))
      await Promise.race([written, opened.closed, isOver])
    }
    opened.socket.destroy()
  }
  await Promise.all(packets.flatMap((packet, i) => [one(packet, `a${i}`), one(packet, `b${i}`)]))
}

async function idleAreClosed(): Promise<Verdict> {
  const sockets = await Promise.all(Array.from({ length: 50 }, () => openRawSocket(port)))
  const limit = sleep(IDLE_LIMIT_MS + 5_000).then(() => Number.POSITIVE_INFINITY)
  const slowestMs = Math.max(...(await Promise.all(sockets.map(({ closed }) => Promise.race([closed, limit])))))
  for (const { socket } of sockets) (socket as Socket).destroy()
  process.stdout.write(`50 idle connections: the last one was closed after ${slowestMs} ms\n`)
  return { holds: slowestMs <= IDLE_LIMIT_MS }
}

function untilAborted(over: AbortSignal): Promise<void> {
  return new Promise((resolve) => (over.aborted ? resolve() : over.addEventListener('abort', () => resolve())))
}
