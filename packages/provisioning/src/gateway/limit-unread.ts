import { totalmem } from 'node:os'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { Readings } from './readings.ts'

/** How many bytes of responses may be unread. */
export interface UnreadLimits {
  /** By the clients of one address. Trusted proxies are exempt. */
  perAddress: number
  /** By all clients together. */
  total: number
}

/** Linux uses some 5 % of the memory for all connections of the machine before it slows them down. */
export const UNREAD_LIMITS: UnreadLimits = { perAddress: totalmem() * 0.005, total: totalmem() * 0.02 }

interface Unread {
  connection: Connection
  bytes: number
  /** How long the client would take to read them at its present rate. */
  duration: number
}

/** Resets connections until the limits are kept; those that would take longest to read the rest come first. */
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

/** Returns what remains. */
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
