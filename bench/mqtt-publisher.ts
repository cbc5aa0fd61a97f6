import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { generate, type Packet, parser } from 'mqtt-packet'

export interface MqttTarget {
  url: string
  topic: string
  login?: { username?: string; password?: string }
}

const KEEP_ALIVE_S = 60
const PUBLISH_QOS_1 = 0x32
const MAX_ID = 0xffff

/**
 * A client that only publishes with QoS 1, for load tests. A complete client takes 50 % more CPU time for each message,
 * and on a small machine the broker would lack this time.
 */
export interface Publisher {
  /** Resolves when the broker has acknowledged the message. Its bytes must not change until then. */
  publish(bytes: Buffer): Promise<void>
  end(): Promise<void>
}

export async function connectPublisher({ url, topic, login = {} }: MqttTarget): Promise<Publisher> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname === 'localhost' ? '127.0.0.1' : hostname, port: Number(port), noDelay: true })
  const waiting = new Map<number, PromiseWithResolvers<void>>()
  const connected = Promise.withResolvers<void>()
  const fail = (err: Error) => {
    connected.reject(err)
    for (const { reject } of waiting.values()) reject(err)
    waiting.clear()
  }
  const packets = parser()
  packets.on('error', fail)
  packets.on('packet', (packet: Packet) => {
    if (packet.cmd === 'connack')
      packet.returnCode === 0 ? connected.resolve() : fail(new Error(`CONNACK ${packet.returnCode}`))
    else if (packet.cmd === 'puback') {
      waiting.get(packet.messageId!)?.resolve()
      waiting.delete(packet.messageId!)
    }
  })
  socket.on('data', (bytes: Buffer) => packets.parse(bytes))
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The connection was closed')))
  const { username, password } = login
  socket.write(
    generate({
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: KEEP_ALIVE_S },
      clientId: `load-${process.pid}-${Math.random().toString(36).slice(2)}`,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password: Buffer.from(password) }),
    }),
  )
  await connected.promise

  let lastId = 0
  return {
    publish(bytes) {
      lastId = lastId === MAX_ID ? 1 : lastId + 1
      const acknowledged = Promise.withResolvers<void>()
      waiting.set(lastId, acknowledged)
      send(socket, headOf(topic, lastId, bytes.length), bytes)
      return acknowledged.promise
    },
    async end() {
      socket.end(generate({ cmd: 'disconnect' }))
      await once(socket, 'close')
    },
  }
}

function send(socket: Socket, ...parts: Buffer[]): void {
  socket.cork()
  for (const part of parts) socket.write(part)
  socket.uncork()
}

/** Everything of a PUBLISH packet before its payload. */
function headOf(topic: string, id: number, payloadLength: number): Buffer {
  const name = Buffer.from(topic)
  const length: number[] = []
  for (let rest = 2 + name.length + 2 + payloadLength; rest > 0; rest >>>= 7)
    length.push((rest & 127) | (rest > 127 ? 128 : 0))
  const lengths = [name.length >> 8, name.length & 255]
  return Buffer.concat([Buffer.from([PUBLISH_QOS_1, ...length, ...lengths]), name, Buffer.from([id >> 8, id & 255])])
}
