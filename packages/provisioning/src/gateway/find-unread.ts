import { totalmem } from 'node:os'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { Readings } from './readings.ts'

/** Limits of the bytes of responses that clients have not read. */
export interface UnreadLimits {
  /** The limit of all clients of one address together. Trusted proxies are exempt. */
  perAddress: number
  /** The limit of all clients together. */
  total: number
}

/**
 * These limits are far below the 5 % of the memory that Linux uses for all connections of the machine before it slows
 * them down.
 */
export const UNREAD_LIMITS: UnreadLimits = { perAddress: totalmem() * 0.005, total: totalmem() * 0.02 }

interface Unread {
  connection: Connection
  bytes: number
  /** How many measurement intervals the client would need to read these bytes at its present rate. */
  duration: number
}

/**
 * The connections to reset so that the limits are kept: those of the clients that would take longest to read the rest.
 */
export function findUnread(
  connections: Pick<Connections, 'all' | 'isProxy'>,
  readings: Readings,
  limits: UnreadLimits,
): Connection[] {
  const byAddress = new Map<string, Unread[]>()
  for (const connection of connections.all()) {
    const { unread: bytes, readSince } = readings.of(connection)
    if (bytes === 0) continue
    const unread = { connection, bytes, duration: bytes / (readSince + 1) }
    const sameAddress = byAddress.get(connection.address)
    if (sameAddress) sameAddress.push(unread)
    else byAddress.set(connection.address, [unread])
  }
  const found: Unread[] = []
  for (const unread of byAddress.values()) {
    if (!connections.isProxy(unread[0]!.connection)) found.push(...beyond(limits.perAddress, unread))
  }
  found.push(...beyond(limits.total, [...byAddress.values()].flat()))
  return found.map(({ connection }) => connection)
}

/** Removes the slowest clients from the list until the rest is within the limit, and returns them. */
function beyond(limit: number, all: Unread[]): Unread[] {
  let sum = all.reduce((bytes, unread) => bytes + unread.bytes, 0)
  if (sum <= limit) return []
  all.sort((a, b) => a.duration - b.duration)
  const found: Unread[] = []
  while (sum > limit) {
    const slowest = all.pop()!
    found.push(slowest)
    sum -= slowest.bytes
  }
  return found
}
