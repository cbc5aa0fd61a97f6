import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { problems } from '@storey/contract'
import { addressGroup, type ClientAddresses } from '@storey/kit/client-address'

const RETRY_AFTER_SECONDS = 1

/**
 * Limits the concurrent requests of each client address behind a trusted proxy, together with the live connections that
 * this process forwards. Behind a proxy, the number of connections does not show how many requests a single client has.
 */
export function createProxiedClientLimit({ isTrustedProxy, clientAddress }: ClientAddresses, limit: number) {
  const inProgress = new Map<string, number>()

  function leave(address: string): void {
    const left = inProgress.get(address)! - 1
    if (left === 0) inProgress.delete(address)
    else inProgress.set(address, left)
  }

  return {
    /** Counts a request until `end` is closed. Throws if the client has too many requests in progress. */
    take(request: IncomingMessage, end: EventEmitter): void {
      if (!isTrustedProxy(request.socket.remoteAddress ?? '')) return
      const address = addressGroup(clientAddress(request))
      const count = inProgress.get(address) ?? 0
      if (count >= limit) throw problems.rateLimited(RETRY_AFTER_SECONDS)
      inProgress.set(address, count + 1)
      end.once('close', () => leave(address))
    },
  }
}

export type ProxiedClientLimit = ReturnType<typeof createProxiedClientLimit>
