import { within } from '../within.ts'
import { type AddressRules, createAddressRule } from './allowed-address.ts'
import type { OutboundAnswer } from './connection.ts'
import { createConnections, type OutboundRequest } from './connections.ts'
import { AddressRefused, OutboundFailed } from './errors.ts'
import { isMetadataName } from './metadata-hosts.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { readTarget, type Target } from './target.ts'

/** With `allowLocal`, URLs with http are accepted in addition to those with https. */
export interface OutboundOptions extends AddressRules {
  /** Resolves all addresses of a name; by default with the system's name servers. */
  resolve?: Resolve
}

/** A URL for many requests. It is parsed once. The IP addresses of its host are checked again only if they change. */
export interface Destination {
  readonly url: string
}

/** Requests to URLs that users chose, such as those of webhooks. */
export interface Outbound {
  /** Refuses nothing yet: a URL to which no request may be sent is refused by each `send`. */
  to(url: string): Destination
  /** Throws AddressRefused if no request may be sent to this URL. */
  check(url: string): Promise<void>
  /**
   * Checks the address, then connects to exactly that address. Throws AddressRefused or OutboundFailed.
   *
   * A receiver may get a request twice: if a pooled connection is closed before the first byte of the response, the
   * request is sent again on a new connection, once. Receivers need an idempotency key to detect this.
   */
  send(to: string | Destination, request: OutboundRequest): Promise<OutboundAnswer>
  /** Aborts requests in progress. */
  close(): void
}

const RESOLVE_MS = 5_000
const IDLE_MS = 4_000
/** How many addresses of one name are tried. */
const MAX_ADDRESSES = 3
const LOCALHOST = ['127.0.0.1', '::1']

type AddressRule = ReturnType<typeof createAddressRule>

class CheckedDestination implements Destination {
  readonly url: string
  /** The rule by which the addresses were checked. An `Outbound` with another rule checks them again. */
  readonly rule: AddressRule
  target: Target | undefined
  /** The addresses that were last found to be allowed. */
  allowed: readonly string[] = []

  constructor(url: string, rule: AddressRule) {
    this.url = url
    this.rule = rule
  }
}

export function createOutbound({ resolve = createResolve(), ...rules }: OutboundOptions): Outbound {
  const { allowLocal } = rules
  const connections = createConnections(IDLE_MS)
  const isAllowed = createAddressRule(rules)
  let closed = false

  const ask = async (hostname: string) => resolve(hostname)

  async function find(hostname: string, limitMs: number): Promise<readonly string[]> {
    // localhost is never resolved by a name server (RFC 6761).
    if (/(^|\.)localhost$/.test(hostname)) return LOCALHOST
    const found = await within(limitMs, ask(hostname)).catch(() => [])
    if (found.length === 0) throw new AddressRefused('unresolvable')
    return found
  }

  /**
   * Refuses a name if any of its addresses is refused, because a public host has no reason to list a private address.
   * The resolver is asked for each request; it caches a result for a second. The rules do not change, so addresses that
   * equal the last ones are not checked again.
   */
  async function checkedAddresses(to: CheckedDestination, target: Target, limitMs: number): Promise<readonly string[]> {
    if (isMetadataName(target.hostname)) throw new AddressRefused('private_address')
    const addresses = target.isAddress ? [target.hostname] : await find(target.hostname, limitMs)
    if (areEqual(addresses, to.allowed)) return to.allowed
    if (!addresses.every(isAllowed)) throw new AddressRefused('private_address')
    // A copy, because the list belongs to the resolver.
    to.allowed = [...addresses]
    return to.allowed
  }

  const destination = (to: string | Destination): CheckedDestination =>
    to instanceof CheckedDestination && to.rule === isAllowed
      ? to
      : new CheckedDestination(typeof to === 'string' ? to : to.url, isAllowed)

  function targetOf(to: CheckedDestination): Target {
    to.target ??= readTarget(to.url, allowLocal)
    return to.target
  }

  return {
    async check(url) {
      const to = destination(url)
      await checkedAddresses(to, targetOf(to), RESOLVE_MS)
    },

    to: destination,

    async send(url, request) {
      const endsAt = performance.now() + request.timeoutMs
      const to = destination(url)
      const target = targetOf(to)
      // If the URL has an IP address, one check is enough, because there is no name to resolve.
      const isChecked = target.isAddress && to.allowed.length > 0
      const limitMs = Math.min(RESOLVE_MS, request.timeoutMs)
      const addresses = isChecked ? to.allowed : await checkedAddresses(to, target, limitMs)
      let failure: unknown
      for (const address of addresses.slice(0, MAX_ADDRESSES)) {
        try {
          if (closed) throw new OutboundFailed('ECLOSED', 'sent')
          return await connections.send(target, address, request, endsAt)
        } catch (err) {
          failure = err
          if (!(err instanceof OutboundFailed && err.progress === 'not_connected') || performance.now() >= endsAt) break
        }
      }
      throw failure
    },

    close() {
      closed = true
      connections.close()
    },
  }
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((address, i) => address === b[i])
}
