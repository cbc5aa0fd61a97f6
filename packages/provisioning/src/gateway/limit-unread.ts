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

/** Resets connections until the limits are kept. Clients that would take longest to read the rest are reset first. */
export function limitUnread(
  connections: Pick<Connections, 'all' | 'isProxy'>,
  readings: Readings,
  limits: UnreadLimits,
): void {
  const byAddress = new Map<string, Unread[]>()
  for (const connection of connections.all()) {
    const { unread: bytes, readSince } = readings.of(connection)
    if (bytes === 0) continue
    const unread = { connection, bytes, duration: bytes / (readSince + 1) }
    const sameAddress = byAddress.get(connection.address)
    if (sameAddress) sameAddress.push(unread)
    else byAddress.set(connection.address, [unread])
  }
  const rest: Unread[] = []
  for (const unread of byAddress.values()) {
    const isProxy = connections.isProxy(unread[0]!.connection)
    rest.push(...(isProxy ? unread : resetDownTo(limits.perAddress, unread)))
  }
  resetDownTo(limits.total, rest)
}

/** Resets the slowest clients until the rest is within the limit, and returns the rest. */
function resetDownTo(limit: number, all: Unread[]): Unread[] {
  let sum = all.reduce((bytes, unread) => bytes + unread.bytes, 0)
  if (sum <= limit) return all
  all.sort((a, b) => a.duration - b.duration)
  while (sum > limit) {
    const { connection, bytes } = all.pop()!
    connection.socket.resetAndDestroy()
    sum -= bytes
  }
  return all
}
