import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import net from 'node:net'

/** A server on loopback that records its connections. */
export interface Receiver {
  port: number
  /** Every connection so far. */
  connections: Socket[]
  stop(): Promise<void>
}

export interface Received {
  method: string
  url: string
  headers: http.IncomingHttpHeaders
  body: string
}

export async function startReceiver(server: Server, { host = '127.0.0.1', port = 0 } = {}): Promise<Receiver> {
  const connections: Socket[] = []
  server.on('connection', (socket) => {
    connections.push(socket)
    socket.on('error', () => undefined)
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    stop: async () => {
      for (const socket of connections) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

type Answer = (request: Received, response: http.ServerResponse) => void

/** Reads the whole request, then responds, by default with 200 and `ok`. */
export function httpServer(answer: Answer = (_, response) => response.end('ok')): http.Server {
  return http.createServer(readWhole(answer))
}

export function httpsServer(pair: { key: string; cert: string }, answer: Answer = (_, response) => response.end('ok')) {
  return https.createServer(pair, readWhole(answer))
}

/**
 * Calls `answer` when bytes arrive, with the number of the connection and the number of the request on that connection.
 * Each arrival of bytes counts as a request.
 */
export function rawServer(answer: (socket: Socket, connection: number, request: number) => void): net.Server {
  let connections = 0
  return net.createServer((socket) => {
    const connection = ++connections
    let requests = 0
    socket.on('data', () => answer(socket, connection, ++requests))
  })
}

function readWhole(answer: Answer): http.RequestListener {
  return async (request, response) => {
    const chunks: Buffer[] = await request.toArray()
    const { method = '', url = '', headers } = request
    answer({ method, url, headers, body: Buffer.concat(chunks).toString() }, response)
  }
}
