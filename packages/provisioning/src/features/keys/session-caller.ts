import { canonicalEmail, emailIssue, Problem, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Queryable } from '@storey/kit/database'
import type { TokenVerifier } from '@storey/kit/tokens'
import type { Caller } from '../../caller.ts'
import { accountDisabled } from './account-disabled.ts'
import { type RealmDeveloper, recordDeveloper } from './developers.store.ts'

type Claims = Awaited<ReturnType<TokenVerifier['verify']>>

/** The claims in which providers name the client of a token: the first one present is used. */
const CLIENT_CLAIMS = ['azp', 'client_id', 'cid', 'appid']

/** The caller who sent an access token. A developer is stored at the first request. */
export async function sessionCaller(
  db: Queryable,
  clock: Clock,
  portalClientId: string,
  claims: Claims,
  onCaller: (developerId: string) => void,
): Promise<Caller> {
  if (!isSubject(claims.sub)) throw problems.unauthenticated('The token is not valid here')
  onCaller(claims.sub)
  const developer: RealmDeveloper = { id: claims.sub, organizationId: organizationOf(claims), email: emailOf(claims) }
  const { isDisabled, tokensRevokedAt } = await recordDeveloper(db, developer, clock.now())
  if (isDisabled) throw accountDisabled('This account is disabled')
  if (tokensRevokedAt !== null && (claims.iat ?? 0) * 1000 <= tokensRevokedAt.getTime())
    throw problems.unauthenticated('The token was revoked: sign in again')
  const client = CLIENT_CLAIMS.map((name) => claims[name]).find((value) => value !== undefined)
  const isPortal = client === portalClientId
  return {
    kind: 'session',
    developerId: developer.id,
    organizationId: developer.organizationId,
    scope: isPortal ? 'full' : 'sandbox',
    isPortal,
    actor: developer.email ?? developer.id,
  }
}

function isSubject(sub: unknown): sub is string {
  return typeof sub === 'string' && /^[\x21-\x7e]{1,255}$/.test(sub)
}

function organizationOf({ org_id }: Claims): string {
  if (typeof org_id === 'string' && /^org_[0-9A-Za-z_-]{1,60}$/.test(org_id)) return org_id
  throw new Problem('PERMISSION_DENIED', 'The claim org_id of the token must be the id of an organization')
}

function emailOf({ email }: Claims): string | null {
  if (typeof email !== 'string') return null
  const address = canonicalEmail(email)
  return emailIssue(address) === undefined ? address : null
}
