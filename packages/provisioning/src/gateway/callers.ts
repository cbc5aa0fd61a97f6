import type { IncomingMessage } from 'node:http'
import { addressGroup, type ClientAddresses } from '@storey/kit/client-address'

/** Behind a proxy: so long is an address known by a good credential that came from it, and so many are. */
const KNOWN_MS = 10 * 60_000
const MAX_KNOWN = 10_000

export interface Callers {
  /** The request has a good credential. */
  add(request: IncomingMessage): void
  /** Whether somebody with a good credential came on the connection. */
  has(socket: object): boolean
  /** Whether the request comes from where somebody with a good credential came from. */
  sent(request: IncomingMessage): boolean
}

/**
 * Where callers come from: each has its connection. A proxy's connections are used by many people in turn, so there the
 * address says it, whichever connection a request comes on.
 */
export function createCallers({ isTrustedProxy, clientAddress }: ClientAddresses): Callers {
  const sockets = new WeakSet<object>()
  /** Until when each address is known, the one that was seen longest ago first. */
  const addresses = new Map<string, number>()
  const isProxied = ({ socket }: IncomingMessage) => isTrustedProxy(socket.remoteAddress ?? '')
  const groupOf = (request: IncomingMessage) => addressGroup(clientAddress(request))

  return {
    add(request) {
      sockets.add(request.socket)
      if (!isProxied(request)) return
      const group = groupOf(request)
      addresses.delete(group)
      addresses.set(group, performance.now() + KNOWN_MS)
      if (addresses.size > MAX_KNOWN) addresses.delete(addresses.keys().next().value!)
    },
    has: (socket) => sockets.has(socket),
    sent: (request) =>
      isProxied(request) ? (addresses.get(groupOf(request)) ?? 0) > performance.now() : sockets.has(request.socket),
  }
}
