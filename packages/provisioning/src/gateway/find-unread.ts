import type { Socket } from 'node:net'
import { MAX_UNREAD_BYTES, type Readings, takeSlowest, type Unread, unreadIn } from '@storey/kit/unread'
import type { Connections } from './connections.ts'

/** How many bytes of responses may be unread. */
export interface UnreadLimits {
  /** By the clients of one address. Trusted proxies are exempt. */
  perAddress: number
  /** By all clients together. */
  total: number
}

export const UNREAD_LIMITS: UnreadLimits = { perAddress: MAX_UNREAD_BYTES, total: 4 * MAX_UNREAD_BYTES }

/**
 * The connections to reset so that the limits are kept: those of the clients that would take longest to read their
 * unread bytes.
 */
export function findUnread(
  connections: Pick<Connections, 'all' | 'isProxy'>,
  readings: Readings,
  limits: UnreadLimits,
): Socket[] {
  const byAddress = new Map<string, { isProxy: boolean; unread: Unread[] }>()
  for (const connection of connections.all()) {
    const { socket, address } = connection
    const unread = unreadIn(socket, readings.of(socket))
    if (unread === undefined) continue
    const sameAddress = byAddress.get(address)
    if (sameAddress) sameAddress.unread.push(unread)
    else byAddress.set(address, { isProxy: connections.isProxy(connection), unread: [unread] })
  }
  const clients = [...byAddress.values()]
  const found = clients.flatMap(({ isProxy, unread }) => (isProxy ? [] : takeSlowest(limits.perAddress, unread)))
  found.push(
    ...takeSlowest(
      limits.total,
      clients.flatMap(({ unread }) => unread),
    ),
  )
  return found.map(({ socket }) => socket)
}
