import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServedRequest, StackMessage } from '@storey/contract'
import type { StackProcess } from './stack-process.ts'

export const HOST = 'a.localhost'

/** A client's connection. */
export interface DirectClient {
  socket: Socket
  received(): string
  /**
   * Resolves when the heads of this many responses have arrived, the connection is closed, or `isOver` returns true.
   */
  answers(count: number, isOver?: () => boolean): Promise<string>
  /** Sends the bytes in these pieces, ends the connection, and resolves when the other side has ended it too. */
  exchange(pieces: readonly string[]): Promise<void>
}

/**
 * A small gateway: `direct` connections are transferred to the stack, all others are relayed to the port of the stack.
 * A connection that the stack returns is relayed too, beginning with the returned bytes. If `relays` is false, all
 * bytes of a returned connection are collected until its end.
 */
export async function startDirectGateway(stack: StackProcess, relays = true) {
  const { port: stackPort } = await stack.waitFor('listening')
  const returned: Buffer[] = []
  const served: ServedRequest[] = []
  let ended = 0
  let count = 0

  function relay(socket: Socket, read: Buffer = Buffer.alloc(0)): void {
    socket.allowHalfOpen = true
    const upstream = connect({ host: '127.0.0.1', port: stackPort, allowHalfOpen: true })
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy())
    upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    upstream.write(read)
    socket.pipe(upstream).pipe(socket)
  }
  stack.child.on('message', (message: StackMessage, socket?: Socket) => {
    if (message.type === 'ended') ended++
    if (message.type === 'served') served.push(...message.requests)
    if (message.type !== 'returned') return
    const read = Buffer.from(message.read, 'base64')
    const place = returned.push(read) - 1
    if (relays && socket) relay(socket, read)
    else
      socket
        ?.on('data', (bytes: Buffer) => {
          returned[place] = Buffer.concat([returned[place]!, bytes])
        })
        .on('error', () => undefined)
        .once('end', () => socket.destroy())
  })
  const listen = async (take: (socket: Socket) => void) => {
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, take).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const direct = await listen((socket) => {
    const connection = ++count
    // As in the gateway, closing the server does not wait for this socket.
    Object.assign(socket, { server: null, _server: null })
    stack.child.send({ type: 'ingest', connection, host: HOST }, socket, {}, () => socket.destroy())
  })
  const normal = await listen((socket) => relay(socket))

  return {
    /** What the stack has returned: the bytes of each connection. */
    returned,
    served,
    ended: () => ended,
    async open(kind: 'direct' | 'normal' = 'direct'): Promise<DirectClient> {
      const { port } = (kind === 'direct' ? direct : normal).address() as AddressInfo
      const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined)
      const over = new Promise<void>((resolve) => socket.once('end', resolve).once('close', resolve))
      await once(socket, 'connect')
      const received = () => Buffer.concat(chunks).toString('latin1')
      return {
        socket,
        received,
        async answers(wanted, isOver = () => false) {
          while (statusesIn(received()).length < wanted && !socket.destroyed && !isOver()) await sleep(2)
          return received()
        },
        async exchange(pieces) {
          for (const piece of pieces) {
            socket.write(piece, 'latin1')
            await new Promise(setImmediate)
          }
          socket.end()
          await over
          socket.destroy()
        },
      }
    },
    close() {
      direct.close()
      normal.close()
    },
  }
}

/** The statuses of the responses whose heads have arrived completely. */
export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/g)].map(([, status]) => Number(status))
