import type { IncomingMessage } from 'node:http'
import { LIVE_PATHS } from '@storey/contract'

/**
 * The address of the client, if the request belongs to a live connection by polling, or is the upgrade of one, which
 * names its session (`sid`). Such a connection is a series of requests, and only one process of the stack has its
 * state. Any process can answer all other requests.
 */
export function affinityOf({ url = '' }: IncomingMessage, clientAddress: string): string | undefined {
  if (!LIVE_PATHS.some((path) => url.startsWith(path))) return undefined
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  return query.get('transport') === 'polling' || query.has('sid') ? clientAddress : undefined
}
