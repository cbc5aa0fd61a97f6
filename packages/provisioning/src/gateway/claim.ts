import type { IncomingMessage } from 'node:http'
import { isLiveTarget } from './locate.ts'

/** Whether a request has a credential or the id of a live session, not verified yet; empty if it has neither. */
export type Claim = 'credential' | 'session' | ''

/** A request with a credential, or the id of a live session, may be a caller's: it waits only behind others of that kind. */
export function claimOf({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): Claim {
  if (headers.authorization !== undefined) return 'credential'
  return url.includes('sid=') && isLiveTarget({ url }) ? 'session' : ''
}
