import type { Manager, Socket } from 'socket.io-client'
import { socketOptions } from '#connect'
import type { Credential } from '../credentials/credential.ts'

/**
 * A Socket.IO connection, and the namespaces that have or had a socket on it. A Manager has one socket per namespace,
 * so a second socket of a namespace needs another connection.
 */
interface SharedConnection {
  origin: string
  manager: Manager
  namespaces: Set<string>
  open: number
}

const connectionsOf = new WeakMap<Credential, Set<SharedConnection>>()

export interface SocketRequest {
  url: string
  credential: Credential
  namespace: string
  /** Provides the token whenever the socket connects. */
  auth(give: (auth: { token: string }) => void): void
}

/**
 * A socket of a namespace. Sockets with the same credential and address share a connection, so that a page which
 * follows events and changes has one WebSocket.
 */
export async function openSharedSocket(request: SocketRequest): Promise<{ socket: Socket; close(): void }> {
  const { credential, namespace, auth } = request
  const origin = request.url.replace(/\/+$/, '')
  // The package is loaded here, because a client that uses only HTTP does not need it.
  const { Manager } = await import('socket.io-client')
  const connections = connectionsOf.get(credential) ?? new Set()
  connectionsOf.set(credential, connections)
  let connection = [...connections].find((one) => one.origin === origin && !one.namespaces.has(namespace))
  if (connection === undefined) {
    const { origin: server, pathname } = new URL(origin)
    const manager = new Manager(server, {
      ...socketOptions(origin),
      // A sandbox with a path in its address has Socket.IO below that path.
      path: `${pathname.replace(/\/+$/, '')}/socket.io`,
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
      reconnectionDelayMax: 5_000,
      autoConnect: false,
    })
    connection = { origin, manager, namespaces: new Set(), open: 0 }
    connections.add(connection)
  }
  const own = connection
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
      if (--own.open === 0) connections.delete(own)
    },
  }
}
