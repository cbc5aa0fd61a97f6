import type { Server } from 'node:net'
import { createTokenBuckets, type TokenBucket, type TokenBucketOptions } from '../token-bucket.ts'
import { addressGroup } from './address-text.ts'

/** The limit of new connections of one IPv4 address, or of one /64 network with IPv6 (`addressGroup`). */
export interface NewConnectionLimit extends TokenBucketOptions {
  /** True for trusted proxies: their connections belong to many clients. */
  isExempt?(address: string): boolean
}

/** Counts new connections by address. */
export function createNewConnectionCount({ isExempt, ...options }: NewConnectionLimit, now = () => performance.now()) {
  const buckets = createTokenBuckets(options, now)
  // The last address is cached, because a flood repeats one address, and parsing an address is the slowest step.
  let last: { address: string; group: string | undefined } | undefined

  function groupOf(address: string): string | undefined {
    if (last?.address !== address) last = { address, group: isExempt?.(address) ? undefined : addressGroup(address) }
    return last.group
  }

  function bucketOf(address: string): TokenBucket | undefined {
    const group = groupOf(address)
    return group === undefined ? undefined : buckets.of(group)
  }

  return {
    /** Whether one more connection is too many. If it is not, the connection is counted. */
    isOver: (address: string): boolean => bucketOf(address)?.take() === false,
    /** Counts this many additional connections, because one connection has cost as much as they would. */
    charge: (address: string, connections: number): void => bucketOf(address)?.charge(connections),
  }
}

/** Node's internal handle of an accepted connection. */
interface ClientHandle {
  getpeername(into: { address?: string }): number
  close(): void
  reset(): number
}
type OnConnection = (this: unknown, error: number, client: ClientHandle | undefined) => void

/**
 * Resets new connections of an address that opens too many, and closes connections whose client has left before they
 * were accepted. This happens before Node creates a socket and a parser, which would cost ten times as much. Node has
 * no public interface for this, so internal handles are used. If these handles are missing, only the limits on open
 * connections apply.
 */
export function limitNewConnections(server: Server, limit: NewConnectionLimit) {
  const count = createNewConnectionCount(limit)
  server.on('listening', () => {
    const { _handle: handle } = server as unknown as { _handle?: { onconnection?: OnConnection } }
    const accept = handle?.onconnection
    if (handle === undefined || accept === undefined) return
    handle.onconnection = function (error, client) {
      const peer: { address?: string } = {}
      const hasLeft = client !== undefined && client.getpeername(peer) !== 0
      if (hasLeft) client.close()
      else if (client && peer.address !== undefined && count.isOver(peer.address)) client.reset()
      else accept.call(this, error, client)
    }
  })
  return { charge: count.charge }
}
