import type { IncomingMessage } from 'node:http'
import { addressGroup, type ClientAddresses } from '@storey/kit/client-address'

/**
 * A client address behind a proxy is remembered this long after a valid credential came from it. At most `MAX_KNOWN`
 * addresses are remembered.
 */
const KNOWN_MS = 10 * 60_000
const MAX_KNOWN = 10_000

export interface Callers {
  /** Remembers where a request with a valid credential came from. */
  add(request: IncomingMessage): void
  /** Remembers a connection on which another process has received a request with a valid credential. */
  keep(socket: object): void
  /**
   * Whether this request needed a credential and had a valid one. False until this is known: for a request to a stack,
   * only the response shows it.
   */
  isCaller(request: IncomingMessage): boolean
  /** Whether a request with a valid credential came on this connection. */
  has(socket: object): boolean
  /** Whether a caller has used the connection of the request or, behind a proxy, the client address of the request. */
  sent(request: IncomingMessage): boolean
}

/**
 * Remembers where callers come from: by connection, or by client address behind a trusted proxy, whose connections
 * are shared by many clients.
 */
export function createCallers({ isTrustedProxy, clientAddress }: ClientAddresses): Callers {
  const requests = new WeakSet<IncomingMessage>()
  const sockets = new WeakSet<object>()
  /** When each address is forgotten. The least recently seen address comes first. */
  const addresses = new Map<string, number>()
  const isProxied = ({ socket }: IncomingMessage) => isTrustedProxy(socket.remoteAddress ?? '')
  const groupOf = (request: IncomingMessage) => addressGroup(clientAddress(request))

  return {
    add(request) {
      requests.add(request)
      sockets.add(request.socket)
      if (!isProxied(request)) return
      const group = groupOf(request)
      addresses.delete(group)
      addresses.set(group, performance.now() + KNOWN_MS)
      if (addresses.size > MAX_KNOWN) addresses.delete(addresses.keys().next().value!)
    },
    keep: (socket) => void sockets.add(socket),
    isCaller: (request) => requests.has(request),
    has: (socket) => sockets.has(socket),
    sent: (request) =>
      isProxied(request) ? (addresses.get(groupOf(request)) ?? 0) > performance.now() : sockets.has(request.socket),
  }
}
