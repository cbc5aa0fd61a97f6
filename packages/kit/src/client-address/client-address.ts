import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type AddressRange, isInRange, plainBytes } from './address-range.ts'
import { canonicalAddress } from './address-text.ts'
import { forwardedFor, forwardedHops } from './forwarded.ts'

/** What is known of a request's way here: the other end of its connection, and its headers. */
export interface Arrival {
  socket: { remoteAddress?: string | undefined }
  headers: IncomingHttpHeaders
}

export interface ClientAddresses {
  /** Whom a request comes from, in its one spelling; an empty text when its connection has no address (any more). */
  clientAddress(request: Arrival | IncomingMessage): string
  isTrustedProxy(address: string): boolean
}

/**
 * Identity, limits, audit and logs all ask here. A header is believed only from a trusted proxy, and only as far as
 * trusted proxies vouch for it: from the right, each hop is what the one behind it saw.
 */
export function createClientAddresses(trusted: readonly AddressRange[]): ClientAddresses {
  function isTrustedProxy(address: string): boolean {
    const bytes = plainBytes(address.replace(/%.*$/s, ''))
    return bytes !== undefined && trusted.some((range) => isInRange(bytes, range))
  }

  /** The first hop that is not trusted; before one that is no address, such as `unknown` or `_hidden`, the last good one. */
  function walk(peer: string, hops: readonly string[]): string {
    let reached = peer
    for (const hop of hops) {
      const address = hop.includes('%') ? undefined : canonicalAddress(hop)
      if (address === undefined) return reached
      reached = address
      if (!isTrustedProxy(address)) return reached
    }
    return reached
  }

  return {
    isTrustedProxy,
    clientAddress({ socket, headers }) {
      const peer = canonicalAddress(socket.remoteAddress ?? '') ?? ''
      if (trusted.length === 0 || !isTrustedProxy(peer)) return peer
      const told = [
        [textOf(headers['x-forwarded-for']), forwardedFor] as const,
        [textOf(headers.forwarded), forwardedHops] as const,
      ].flatMap(([text, read]) => (text === undefined ? [] : [walk(peer, read(text))]))
      // A proxy writes one of the two and may pass the client's own other one on: where they differ, nobody is believed.
      return new Set(told).size === 1 ? told[0]! : peer
    },
  }
}

/** Nobody is trusted: the address is the socket's own. */
export const directAddresses: ClientAddresses = createClientAddresses([])

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(',') : header
