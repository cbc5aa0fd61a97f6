import { connect as connectSocket, type Socket } from 'node:net'
import { createClientAddresses, parseRange } from '@storey/kit/client-address'
import { generate } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { script, testMqttBroker } from '../testing/mqtt-broker.ts'

const QOS1 = { qos: 1 } as const
type TestBroker = Awaited<ReturnType<typeof testMqttBroker>>
type Sandbox = Awaited<ReturnType<TestBroker['sandbox']>>

function open(port: number, bytes: Buffer | string = ''): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.1', () => {
      if (bytes.length > 0) socket.write(bytes)
      resolve(socket)
    })
    socket.on('error', () => resolve(socket)).resume()
  })
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))

describe('a client of the broker', () => {
  let broker: TestBroker
  let own: Sandbox
  beforeAll(async () => {
    broker = await testMqttBroker()
    own = await broker.sandbox()
  })
  afterAll(() => broker.drop())

  it('[MQT-14] that sends no complete CONNECT is disconnected, and does not block devices meanwhile', async () => {
    const device = await own.connect()
    const sockets: Socket[] = []
    for (let i = 0; i < 10; i++) {
      const some = Array.from({ length: 100 }, (_, n) => open(broker.mqttPort, n % 2 ? '' : Buffer.from([0x10, 20, 0])))
      sockets.push(...(await Promise.all(some)))
      const other = await own.connect()
      await other.publishAsync(own.topic, script({ name: `d${i}` }), QOS1)
      await other.endAsync()
    }
    await device.publishAsync(own.topic, script({ name: 'last' }), QOS1)
    expect(await own.received()).toEqual([...Array.from({ length: 10 }, (_, i) => `d${i}`), 'last'])
    await Promise.all(sockets.map(closed))
    expect(device.connected).toBe(true)
  })

  it('[MQT-14] that stops sending in the middle of a packet is disconnected, whether or not it is authenticated', async () => {
    const connect = generate({
      cmd: 'connect',
      clientId: 'c',
      clean: true,
      protocolId: 'MQTT',
      protocolVersion: 4,
      ...login(),
    })
    const part = generate({
      cmd: 'publish',
      topic: own.topic,
      payload: 'x',
      qos: 1,
      messageId: 1,
      dup: false,
      retain: false,
    })
    const sockets = await Promise.all([
      open(broker.mqttPort, connect.subarray(0, 10)),
      open(broker.mqttPort, Buffer.concat([connect, part.subarray(0, 8)])),
    ])
    await Promise.all(sockets.map(closed))
  })

  const login = () => ({ username: own.login.username, password: Buffer.from(own.login.password) })

  it('[MQT-15] that sends a PROXY protocol header, and is not a trusted proxy, is disconnected', async () => {
    const v2 = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a, 0x20, 0, 0, 0])
    const silent = await open(broker.mqttPort)
    for (const header of ['PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n', v2]) {
      await closed(await open(broker.mqttPort, header))
      // A silent client that connected earlier is still connected, so the disconnect is not a timeout.
      expect(silent.closed).toBe(false)
    }
    silent.destroy()
  })
})

describe('a trusted proxy', () => {
  let broker: TestBroker
  let own: Sandbox
  beforeAll(async () => {
    broker = await testMqttBroker({}, { clientAddresses: createClientAddresses([parseRange('127.0.0.0/8')!]) })
    own = await broker.sandbox()
  })
  afterAll(() => broker.drop())

  /**
   * Sends a header and CONNECT in pieces. Resolves with the return code of CONNACK, or undefined if the connection
   * closes.
   */
  async function signIn(header: Buffer, password = own.login.password): Promise<number | undefined> {
    const fields = { cmd: 'connect', clientId: 'c', clean: true, protocolId: 'MQTT', protocolVersion: 4 } as const
    const connect = generate({ ...fields, username: own.login.username, password: Buffer.from(password) })
    const socket = await open(broker.mqttPort)
    const answered = new Promise<number | undefined>((resolve) => {
      socket.once('data', (chunk: Buffer) => resolve(chunk[3]))
      socket.once('close', () => resolve(undefined))
    })
    const bytes = Buffer.concat([header, connect])
    for (let at = 0; at < bytes.length; at += 9) {
      socket.write(bytes.subarray(at, at + 9))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const code = await answered
    socket.destroy()
    return code
  }

  const v1 = (address: string) => Buffer.from(`PROXY TCP4 ${address} 192.0.2.9 1111 1883\r\n`)

  it('[MQT-15] may send the client address in a PROXY header of either version, or no header', async () => {
    const addresses = Buffer.from([192, 0, 2, 1, 192, 0, 2, 9, 1, 1, 7, 91])
    const v2 = Buffer.concat([Buffer.from('0d0a0d0a000d0a515549540a2111000c', 'hex'), addresses])
    expect(await signIn(v1('192.0.2.1'))).toBe(0)
    expect(await signIn(v2)).toBe(0)
    expect(await signIn(Buffer.alloc(0))).toBe(0)
    expect(await signIn(Buffer.from('PROXY TCP4 nonsense\r\n'))).toBeUndefined()
  })

  it('[MQT-15] is not delayed after failed sign-ins of a client: they are counted for the address of the client', async () => {
    const took = async (address: string) => {
      const began = performance.now()
      expect(await signIn(v1(address), 'wrong')).toBe(4)
      return performance.now() - began
    }
    for (let i = 0; i < 4; i++) await took('192.0.2.66')
    const slow = await took('192.0.2.66')
    expect(slow).toBeGreaterThan(1_500)
    expect(await took('192.0.2.77')).toBeLessThan(slow)
    expect(await signIn(v1('192.0.2.66'))).toBe(0)
  })
})
