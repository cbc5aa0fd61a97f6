import type { IncomingMessage } from 'node:http'
import { LIVE_PATHS } from '@storey/contract'

/**
 * The address of the client, for a request of a live connection that uses polling, and for the upgrade of such a
 * connection, which names its session (`sid`). A connection that uses polling is a series of requests, and only one
 * process of the stack has its state. Undefined for all other requests, which any process can answer.
 */
export function affinityOf({ url = '' }: IncomingMessage, clientAddress: string): string | undefined {
  if (!LIVE_PATHS.some((path) => url.startsWith(path))) return undefined
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  return query.get('transport') === 'polling' || query.has('sid') ? clientAddress : undefined
}
