import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { generate, type Packet, parser } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arrivalsOf, script, testMqttBroker } from '../testing/mqtt-broker.ts'

type TestBroker = Awaited<ReturnType<typeof testMqttBroker>>
type Sandbox = Awaited<ReturnType<TestBroker['sandbox']>>

let broker: TestBroker
let own: Sandbox
beforeAll(async () => {
  broker = await testMqttBroker()
  own = await broker.sandbox()
})
afterAll(() => broker.drop())

interface Raw {
  socket: Socket
  /** Every packet that the broker sent. */
  packets: Packet[]
  closed: Promise<unknown>
}

/** Connects a client for which the test writes the bytes of the packets itself. */
async function open(clientId: string, changes: object = {}, awaitsConnack = true): Promise<Raw> {
  const socket = connect(broker.mqttPort, '127.0.0.1').on('error', () => undefined)
  const packets: Packet[] = []
  const reader = parser().on('packet', (packet: Packet) => packets.push(packet))
  socket.on('data', (chunk: Buffer) => reader.parse(chunk))
  const { username, password } = own.login
  const fields = { clean: true, protocolId: 'MQTT', protocolVersion: 4, keepalive: 0, username } as const
  socket.write(generate({ cmd: 'connect', ...fields, clientId, password: Buffer.from(password), ...changes }))
  if (awaitsConnack) await expect.poll(() => packets).toMatchObject([{ cmd: 'connack', returnCode: 0 }])
  return { socket, packets, closed: once(socket, 'close') }
}

function publish(name: string, qos: 0 | 1 | 2, messageId: number, changes: object = {}): Buffer {
  const payload = script({ name, delayMs: 100 })
  return generate({ cmd: 'publish', topic: own.topic, qos, messageId, dup: false, retain: false, payload, ...changes })
}

const namesFrom = async (prefix: string) => (await own.received()).filter((name) => name.startsWith(prefix))
const answers = ({ packets }: Raw) => packets.slice(1).map(({ cmd, messageId }) => `${cmd} ${messageId}`)

describe('a message with QoS 2', () => {
  it('[MQT-25] is stored once, however often it is sent before PUBREL; after PUBREL its id is free', async () => {
    const client = await open('qos2')
    const repeated = publish('twice', 2, 5, { dup: true })
    client.socket.write(Buffer.concat([publish('twice', 2, 5), repeated]))
    await expect.poll(() => answers(client)).toEqual(['pubrec 5', 'pubrec 5'])
    client.socket.write(Buffer.concat([repeated, generate({ cmd: 'pubrel', messageId: 5 })]))
    await expect.poll(() => answers(client).toSorted()).toEqual(['pubcomp 5', 'pubrec 5', 'pubrec 5', 'pubrec 5'])
    expect(arrivalsOf(`${broker.folder}/${own.sandboxId}`, 'twice')).toHaveLength(1)
    client.socket.write(publish('twice', 2, 5))
    await expect.poll(() => answers(client)).toHaveLength(5)
    expect(await namesFrom('twice')).toHaveLength(2)
    client.socket.destroy()
  })

  it('[MQT-25] disconnects its client if a thousand other messages are not released yet', async () => {
    const client = await open('unreleased')
    const elsewhere = { topic: 'rec/device/observations', payload: '{}' }
    for (let id = 1; id <= 1_001; id++) client.socket.write(publish('none', 2, id, elsewhere))
    await client.closed
    expect(answers(client)).not.toContain('pubrec 1001')
  })
})

describe('DISCONNECT', () => {
  it('[MQT-24] after messages in the same segment closes the connection only when the messages are stored and acknowledged', async () => {
    const client = await open('leaving')
    const messages = [publish('d-1', 1, 1), publish('d-2', 2, 2), publish('d-3', 0, 0), publish('d-4', 1, 3)]
    client.socket.write(Buffer.concat([...messages, generate({ cmd: 'disconnect' }), publish('d-5', 1, 4)]))
    await client.closed
    expect(answers(client)).toEqual(['puback 1', 'pubrec 2', 'puback 3'])
    expect(await namesFrom('d-')).toEqual(['d-1', 'd-2', 'd-3', 'd-4'])
  })

  it('[MQT-24] discards the will but not the earlier messages, even if the client closes the connection or reconnects', async () => {
    const will = { topic: own.topic, payload: Buffer.from(script({ name: 'e-will' })), qos: 1, retain: false }
    const client = await open('closing', { will })
    const messages = Array.from({ length: 20 }, (_, i) => publish(`e-${i}`, 1, i + 1))
    client.socket.write(Buffer.concat([...messages, generate({ cmd: 'disconnect' })]), () => client.socket.destroy())
    const again = await open('closing')
    await expect.poll(() => namesFrom('e-')).toContain('e-19')
    expect(await namesFrom('e-')).toEqual(messages.map((_, i) => `e-${i}`))
    again.socket.destroy()
  })
})

describe('a client that violates the protocol', () => {
  const subscribe = (messageId: number, topic: string) =>
    Buffer.concat([Buffer.from([0x82, topic.length + 5, 0, messageId, 0, topic.length]), Buffer.from(`${topic}\0`)])
  const withId0 = (packet: Buffer) => {
    // The library does not write the packet id 0, so the bytes of another id are replaced.
    packet.set([0, 0], packet.indexOf(own.topic) + own.topic.length)
    return packet
  }

  it.each([
    ['a message with QoS 1 and the packet id 0', () => withId0(publish('v-0', 1, 7))],
    ['a message with QoS 2 and the packet id 0', () => withId0(publish('v-0', 2, 7))],
    ['U+0000 in the topic of a message with QoS 0', () => publish('v-0', 0, 0, { topic: `${own.topic}\0` })],
    ['U+0000 in the topic of a message with QoS 1', () => publish('v-0', 1, 7, { topic: 'rec/a\0b/observations' })],
    ['a SUBSCRIBE with the packet id 0', () => subscribe(0, 'svc/a')],
    ['a SUBSCRIBE with U+0000 in its filter', () => subscribe(1, 'svc/\0')],
    ['an UNSUBSCRIBE with U+0000 in its filter', () => Buffer.from([0xa2, 5, 0, 1, 0, 1, 0])],
    ['a PUBREL with the packet id 0', () => Buffer.from([0x62, 2, 0, 0])],
  ])('[MQT-23] is disconnected when it sends %s', async (name, bytes) => {
    const client = await open(name)
    client.socket.write(bytes())
    await client.closed
    expect(answers(client)).toEqual([])
    expect(await namesFrom('v-')).toEqual([])
  })

  it('[MQT-23] is disconnected when the topic of its will contains U+0000', async () => {
    const will = { topic: `${own.topic}\0`, payload: Buffer.from('{}'), qos: 0, retain: false }
    const client = await open('will', { will }, false)
    await client.closed
    expect(client.packets).toEqual([])
  })
})
