import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type AddressRange, isInRange, plainBytes } from './address-range.ts'
import { canonicalAddress } from './address-text.ts'
import { forwardedFor, forwardedHops } from './forwarded.ts'

/** The parts of a request that determine the client address. */
export interface Arrival {
  socket: { remoteAddress?: string | undefined }
  headers: IncomingHttpHeaders
}

export interface ClientAddresses {
  /** The client address in canonical form; empty when the connection is closed. */
  clientAddress(request: Arrival | IncomingMessage): string
  isTrustedProxy(address: string): boolean
}

/**
 * The client address for identity, limits, audit and logs. Forwarding headers are read only from trusted proxies, from
 * right to left, up to the first hop that is not a trusted proxy.
 */
export function createClientAddresses(trusted: readonly AddressRange[]): ClientAddresses {
  const isTrusted = memoized((address) => {
    const bytes = plainBytes(address.replace(/%.*$/s, ''))
    return bytes !== undefined && trusted.some((range) => isInRange(bytes, range))
  })
  const isTrustedProxy = (address: string) => trusted.length > 0 && isTrusted(address)
  const canonicalPeer = memoized((address) => canonicalAddress(address) ?? '')

  /**
   * Goes from the nearest hop to the farthest, and returns the first one that is not a trusted proxy, or the farthest
   * if all are trusted. At an invalid hop, such as `unknown` or `_hidden`, it returns the hop before that one.
   */
  function firstUntrusted(peer: string, hops: readonly string[]): string {
    let reached = peer
    for (const hop of hops) {
      const address = hop.includes('%') ? undefined : canonicalAddress(hop)
      if (address === undefined) return reached
      reached = address
      if (!isTrustedProxy(address)) return reached
    }
    return reached
  }

  /**
   * The headers that a proxy does not set, by the address of the proxy. If a request had only one of the two headers,
   * its proxy does not set the other, because a client cannot remove a header that its proxy sets.
   */
  const notSetBy = new Map<string, Set<ForwardingHeader>>()
  function remember(peer: string, header: ForwardingHeader): void {
    if (notSetBy.size >= MAX_PROXIES && !notSetBy.has(peer)) notSetBy.clear()
    notSetBy.set(peer, (notSetBy.get(peer) ?? new Set()).add(header))
  }

  return {
    isTrustedProxy,
    clientAddress({ socket, headers }) {
      const peer = canonicalPeer(socket.remoteAddress ?? '')
      if (!isTrustedProxy(peer)) return peer
      const listed = textOf(headers['x-forwarded-for'])
      const standard = textOf(headers.forwarded)
      const byList = listed === undefined ? undefined : firstUntrusted(peer, forwardedFor(listed))
      const byStandard = standard === undefined ? undefined : firstUntrusted(peer, forwardedHops(standard))
      if (byList === undefined || byStandard === undefined) {
        if (byList !== undefined) remember(peer, 'forwarded')
        if (byStandard !== undefined) remember(peer, 'x-forwarded-for')
        return byList ?? byStandard ?? peer
      }
      if (byList === byStandard) return byList
      // A proxy sets one header and may forward the client's own version of the other. If it is not known which header
      // the proxy sets, both are ignored.
      const [foreign, ...more] = notSetBy.get(peer) ?? []
      if (foreign === undefined || more.length > 0) return peer
      return foreign === 'forwarded' ? byList : byStandard
    },
  }
}

type ForwardingHeader = 'x-forwarded-for' | 'forwarded'

/** The maximum number of proxies that are remembered. No deployment has more. */
const MAX_PROXIES = 1_000

const MAX_MEMOIZED = 1_000

/** Caches the results for up to `MAX_MEMOIZED` addresses, because the address of a request is needed several times. */
function memoized<T>(compute: (address: string) => T): (address: string) => T {
  const results = new Map<string, T>()
  return (address) => {
    const known = results.get(address)
    if (known !== undefined) return known
    const result = compute(address)
    if (results.size >= MAX_MEMOIZED) results.clear()
    results.set(address, result)
    return result
  }
}

/** Trusts no proxy, so the client address is the address of the socket. */
export const directAddresses: ClientAddresses = createClientAddresses([])

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(',') : header
