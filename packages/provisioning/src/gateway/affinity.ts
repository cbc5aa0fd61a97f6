import type { IncomingMessage } from 'node:http'
import { LIVE_PATHS } from '@storey/contract'

/**
 * Returns the address of the client, by which the gateway chooses a replica of the stack, if only one replica can
 * answer the request; undefined if any replica can. A live connection that uses polling is a series of requests, and
 * only one replica has its state. The upgrade of the connection to a WebSocket, whose URL has the id of the connection
 * (`sid`), also goes to this replica.
 */
export function affinityOf({ url = '' }: IncomingMessage, clientAddress: string): string | undefined {
  if (!LIVE_PATHS.some((path) => url.startsWith(path))) return undefined
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  return query.get('transport') === 'polling' || query.has('sid') ? clientAddress : undefined
}
