import type { IncomingMessage } from 'node:http'
import { LIVE_PATHS } from '@storey/contract'

/**
 * Returns the address of the client if only one process of the stack can answer the request; undefined if any process
 * can. A live connection that uses polling is a series of requests, and only one process has its state. Its upgrade to
 * a WebSocket also goes to this process: the URL of the upgrade has the id of the session (`sid`).
 */
export function affinityOf({ url = '' }: IncomingMessage, clientAddress: string): string | undefined {
  if (!LIVE_PATHS.some((path) => url.startsWith(path))) return undefined
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  return query.get('transport') === 'polling' || query.has('sid') ? clientAddress : undefined
}
