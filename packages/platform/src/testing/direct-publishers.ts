import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StackMessage } from '@storey/contract'
import type { StackProcess } from './stack-process.ts'

/** A connection that the stack returned. */
export interface Returned {
  read: Buffer
  silentMs: number
  /** False if the connection had ended. */
  isOpen: boolean
}

/** A small broker: it transfers every connection to the stack, and collects the connections that the stack returns. */
export async function startDirectBroker(stack: StackProcess, target: { topic: string; buildingId: string }) {
  const { port: stackPort } = await stack.waitFor('listening')
  const returned: Returned[] = []
  let count = 0
  let stored = 0
  /** The bytes that are passed along with the next connection. */
  let read: Buffer = Buffer.alloc(0)
  stack.child.on('message', (message: StackMessage, socket?: Socket) => {
    if (message.type === 'served') for (const { count } of message.messages) stored += count
    if (message.type !== 'returned') return
    const entry = {
      read: Buffer.from(message.read, 'base64'),
      silentMs: message.silentMs,
      isOpen: socket !== undefined,
    }
    returned.push(entry)
    // The bytes that the stack did not read are collected too.
    socket
      ?.on('data', (bytes: Buffer) => {
        entry.read = Buffer.concat([entry.read, bytes])
      })
      .on('error', () => undefined)
      .once('end', () => socket.destroy())
  })
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    const connection = ++count
    Object.assign(socket, { server: null, _server: null })
    const command = { type: 'publish', connection, ...target, read: read.toString('base64') }
    stack.child.send(command, socket, {}, () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    /** The port of the stack. */
    port: stackPort,
    returned,
    stored: () => stored,
    /** The number of the last connection. */
    last: () => count,
    async open(passed: Buffer = Buffer.alloc(0)) {
      read = passed
      const { port } = server.address() as AddressInfo
      const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined)
      const over = new Promise<void>((resolve) => socket.once('end', resolve).once('close', resolve))
      await once(socket, 'connect')
      const received = () => Buffer.concat(chunks)
      return {
        socket,
        over,
        received,
        /** The ids of the acknowledged messages, in order; 0 for the answer to a ping. */
        acknowledged: () => acknowledgedIn(received()),
        /** Resolves when this many answers have arrived, or when the connection is closed. */
        async answers(wanted: number): Promise<number[]> {
          while (acknowledgedIn(received()).length < wanted && !socket.destroyed) await sleep(2)
          return acknowledgedIn(received())
        },
      }
    },
    close: () => server.close(),
  }
}

function acknowledgedIn(bytes: Buffer): number[] {
  const ids: number[] = []
  for (let at = 0; at + 1 < bytes.length; at += 2 + bytes[at + 1]!) {
    if (bytes[at] === 0xd0) ids.push(0)
    else if (bytes[at] === 0x40 && at + 4 <= bytes.length) ids.push(bytes.readUInt16BE(at + 2))
    else if (bytes[at] !== 0x40) throw new Error(`unexpected packet ${bytes.subarray(at).toString('hex')}`)
  }
  return ids
}

/** A packet of MQTT: type and flags, and everything after the length. */
export function packetOf(firstByte: number, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const digits: number[] = []
  for (let left = body.length; digits.length === 0 || left > 0; left >>= 7)
    digits.push((left & 127) | (left > 127 ? 128 : 0))
  return Buffer.concat([Buffer.from([firstByte, ...digits]), body])
}

/** A PUBLISH packet, by default with QoS 1. */
export function publishOf(topic: string, messageId: number, payload: Buffer | string, firstByte = 0x32): Buffer {
  const name = Buffer.concat([Buffer.from([topic.length >> 8, topic.length & 255]), Buffer.from(topic)])
  const hasId = (firstByte & 0b110) !== 0
  return packetOf(firstByte, name, ...(hasId ? [Buffer.from([messageId >> 8, messageId & 255])] : []), payload)
}
