import type { Manager, Socket } from 'socket.io-client'
import { socketOptions } from '#connect'
import type { Credential } from '../credentials/credential.ts'

/** A connection of Socket.IO, and the namespaces that have or had a socket on it: a manager makes one socket for each. */
interface Line {
  origin: string
  manager: Manager
  namespaces: Set<string>
  open: number
}

const linesOf = new WeakMap<Credential, Set<Line>>()

export interface SocketRequest {
  url: string
  credential: Credential
  namespace: string
  /** Gives the token whenever the socket connects. */
  auth(give: (auth: { token: string }) => void): void
}

/**
 * A socket of a namespace. Sockets of one credential to one address share a connection: a page that follows events and
 * changes has one WebSocket.
 */
export async function openSharedSocket(request: SocketRequest): Promise<{ socket: Socket; close(): void }> {
  const { credential, namespace, auth } = request
  const origin = request.url.replace(/\/+$/, '')
  // Loaded lazily: a client that uses only the API does not need it.
  const { Manager } = await import('socket.io-client')
  const lines = linesOf.get(credential) ?? new Set()
  linesOf.set(credential, lines)
  let line = [...lines].find((one) => one.origin === origin && !one.namespaces.has(namespace))
  if (line === undefined) {
    const { origin: server, pathname } = new URL(origin)
    const manager = new Manager(server, {
      ...socketOptions(origin),
      // A path address has its own path of Socket.IO.
      path: `${pathname.replace(/\/+$/, '')}/socket.io`,
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
      reconnectionDelayMax: 5_000,
      autoConnect: false,
    })
    line = { origin, manager, namespaces: new Set(), open: 0 }
    lines.add(line)
  }
  const own = line
  own.namespaces.add(namespace)
  own.open++
  const socket = own.manager.socket(namespace, { auth })
  let isOpen = true
  return {
    socket,
    close() {
      if (!isOpen) return
      isOpen = false
      socket.disconnect()
      if (--own.open === 0) lines.delete(own)
    },
  }
}
