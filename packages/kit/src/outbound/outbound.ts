import { within } from '../within.ts'
import { createAgents } from './agents.ts'
import { type AddressRules, createAddressRule } from './allowed-address.ts'
import { AddressRefused, OutboundFailed } from './errors.ts'
import { exchange, type OutboundAnswer, type OutboundRequest } from './exchange.ts'
import { isMetadataName } from './metadata-hosts.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { readTarget, type Target } from './target.ts'

/** With `allowLocal` http is accepted too. */
export interface OutboundOptions extends AddressRules {
  /** Resolves all addresses of a name; by default with the system's name servers. */
  resolve?: Resolve
}

/** Requests to URLs that users chose, such as those of webhooks. */
export interface Outbound {
  /** Throws AddressRefused if no request may be sent to this URL. */
  check(url: string): Promise<void>
  /**
   * Checks the address, then connects to exactly that address. Throws AddressRefused or OutboundFailed.
   *
   * A receiver may get a request twice: if a pooled connection is closed before the first byte of the response, the
   * request is sent again on a new connection, once. Receivers need an idempotency key to detect this.
   */
  send(url: string, request: OutboundRequest): Promise<OutboundAnswer>
  /** Aborts requests in progress. */
  close(): void
}

const RESOLVE_MS = 5_000
const IDLE_MS = 4_000
/** How many addresses of one name are tried. */
const MAX_ADDRESSES = 3

export function createOutbound({ resolve = createResolve(), ...rules }: OutboundOptions): Outbound {
  const { allowLocal } = rules
  const agents = createAgents(IDLE_MS)
  const isAllowed = createAddressRule(rules)
  let closed = false

  const ask = async (hostname: string) => resolve(hostname)

  async function find(hostname: string, limitMs: number): Promise<readonly string[]> {
    // localhost is never resolved by a name server (RFC 6761).
    if (/(^|\.)localhost$/.test(hostname)) return ['127.0.0.1', '::1']
    const found = await within(limitMs, ask(hostname)).catch(() => [])
    if (found.length === 0) throw new AddressRefused('unresolvable')
    return found
  }

  /**
   * Refuses a name if any of its addresses is refused, because a public host has no reason to list a private address.
   */
  async function checkedAddresses(target: Target, limitMs: number): Promise<readonly string[]> {
    if (isMetadataName(target.hostname)) throw new AddressRefused('private_address')
    const addresses = target.isAddress ? [target.hostname] : await find(target.hostname, limitMs)
    if (!addresses.every(isAllowed)) throw new AddressRefused('private_address')
    return addresses
  }

  async function sendTo(address: string, target: Target, request: OutboundRequest, endsAt: number) {
    const attempt = (sockets: keyof Omit<typeof agents, 'close'>) => {
      if (closed) throw new OutboundFailed('ECLOSED', 'sent')
      return exchange(agents[sockets], target, address, request, endsAt - performance.now())
    }
    try {
      return await attempt('kept')
    } catch (err) {
      if (!(err instanceof OutboundFailed && err.progress === 'stale_socket')) throw err
      return await attempt('fresh')
    }
  }

  return {
    async check(url) {
      await checkedAddresses(readTarget(url, allowLocal), RESOLVE_MS)
    },

    async send(url, request) {
      const endsAt = performance.now() + request.timeoutMs
      const target = readTarget(url, allowLocal)
      const addresses = await checkedAddresses(target, Math.min(RESOLVE_MS, request.timeoutMs))
      let failure: unknown
      for (const address of addresses.slice(0, MAX_ADDRESSES)) {
        try {
          return await sendTo(address, target, request, endsAt)
        } catch (err) {
          failure = err
          if (!(err instanceof OutboundFailed && err.progress === 'not_connected') || performance.now() >= endsAt) break
        }
      }
      throw failure
    },

    close() {
      closed = true
      agents.close()
    },
  }
}
