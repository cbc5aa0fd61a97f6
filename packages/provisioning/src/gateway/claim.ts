import type { IncomingMessage } from 'node:http'
import { isLiveTarget } from './locate.ts'

/** What a request claims to have: a credential, or the id of a live session. It is not verified yet. Empty: neither. */
export type Claim = 'credential' | 'session' | ''

/**
 * The claim of a request. A request with a claim may come from a caller, so in the queue of unauthenticated requests it
 * waits only behind requests with the same claim from the same client address.
 */
export function claimOf({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): Claim {
  if (headers.authorization !== undefined) return 'credential'
  return url.includes('sid=') && isLiveTarget({ url }) ? 'session' : ''
}
