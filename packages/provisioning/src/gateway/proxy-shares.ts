import { problems } from '@storey/contract'
import { addressGroup, type ClientAddresses } from '@storey/kit/client-address'
import type { Turn } from './connection.ts'

const AGAIN_SECONDS = 1

/**
 * Limits concurrent requests per client address behind a trusted proxy: the number of the proxy's connections says
 * nothing about a single client.
 */
export function createProxyShares({ isTrustedProxy, clientAddress }: ClientAddresses, limit: number) {
  const underWay = new Map<string, number>()

  function leave(address: string): void {
    const left = underWay.get(address)! - 1
    if (left === 0) underWay.delete(address)
    else underWay.set(address, left)
  }

  return {
    /** Counts a request until its response is closed, or throws. */
    take({ request, response }: Turn): void {
      if (!isTrustedProxy(request.socket.remoteAddress ?? '')) return
      const address = addressGroup(clientAddress(request))
      const count = underWay.get(address) ?? 0
      if (count >= limit) throw problems.rateLimited(AGAIN_SECONDS)
      underWay.set(address, count + 1)
      response.once('close', () => leave(address))
    },
  }
}
