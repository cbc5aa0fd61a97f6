import {
  actorOf,
  type ClaimNames,
  PLATFORM_ADMINISTRATOR,
  problems,
  rolesAt,
  type ServeConfig,
  seesEveryBuilding,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import {
  type Audience,
  claimedIssuer,
  createRealmVerifier,
  createTokenVerifier,
  type TokenRules,
} from '@storey/kit/tokens'
import type { Caller } from '../caller.ts'
import { createRevocations, type Revocations } from './revocations.ts'

type Claims = Record<string, unknown>

/** Returns the caller of a token, or throws UNAUTHENTICATED or NOT_READY. The tenant is checked later. */
export type Authenticate = (token: string) => Promise<Caller>

export interface TrustSettings {
  /** The sandbox's own token: signed by the control plane, with this sandbox as its audience. */
  sandboxToken: TokenRules & { issuer: string }
  /** The realm of the users and service accounts of sandboxes. */
  sandboxesIssuer: string | null
  /** How the audience of that realm's tokens is checked. Absent: any audience is accepted. */
  sandboxesAudience?: Audience
  /** Claims that have other names at that realm. */
  sandboxesClaims?: ClaimNames
}

/** A stack accepts the token of its own sandbox, and the tokens of the realm for sandboxes. */
export function trustOf(config: ServeConfig): TrustSettings {
  const { sandboxId, token } = config
  return {
    sandboxToken: { issuer: token.issuer, audience: sandboxId, publicKey: token.publicKey as TokenRules['publicKey'] },
    sandboxesIssuer: config.sandboxesIssuer ?? null,
    sandboxesAudience: audienceOf(config),
    ...(config.sandboxesClaims ? { sandboxesClaims: config.sandboxesClaims } : {}),
  }
}

function audienceOf({ sandboxesAudience, sandboxesIssuer, apiUrl, token }: ServeConfig): Audience {
  if (sandboxesAudience !== undefined) return { required: sandboxesAudience }
  return { own: [apiUrl, token.issuer, sandboxesIssuer ?? ''] }
}

export async function createAuthentication(
  trust: TrustSettings,
  clock: Clock,
  revocations: Revocations = createRevocations(),
  log?: Log,
): Promise<Authenticate> {
  const { sandboxToken, sandboxesIssuer, sandboxesAudience: audience, sandboxesClaims: claims } = trust
  const own = await createTokenVerifier(sandboxToken, clock)
  const rules = { ...(audience ? { audience } : {}), ...(claims ? { claims } : {}), ...(log ? { log } : {}) }
  const realm = sandboxesIssuer === null ? undefined : createRealmVerifier(sandboxesIssuer, clock, rules)
  /** The callers of the sandbox's own tokens. The verifier returns the same claims object for a token that it knows. */
  const sandboxCallers = new WeakMap<Claims, Caller>()
  const sandboxCaller = (claims: Claims): Caller => {
    let caller = sandboxCallers.get(claims)
    if (caller === undefined) {
      // The issuer may be an earlier address of the service: the key and the audience identify the token.
      caller = toCaller({ ...claims, iss: sandboxToken.issuer }, true)
      sandboxCallers.set(claims, caller)
    }
    return caller
  }

  return async (token) => {
    // The unverified issuer only selects the verifier. The verifier of the realm also checks the issuer. For a sandbox
    // token the key and the audience are enough (see `sandboxCaller`).
    const isOfRealm = realm !== undefined && claimedIssuer(token) === sandboxesIssuer
    const caller = isOfRealm ? toCaller(await realm.verify(token), false) : sandboxCaller(await own.verify(token))
    if (revocations.isRevoked(caller)) throw problems.unauthenticated('The token is not valid here')
    return caller
  }
}

function toCaller(claims: Claims, isSandboxToken: boolean): Caller {
  const { iss, sub, tenant_id } = claims
  if (!isName(iss) || !isName(sub)) throw problems.unauthenticated('The token has no subject')
  // A realm cannot grant platform administration, whatever roles it assigns.
  const roles = rolesAt(claims).filter((role) => isSandboxToken || role !== PLATFORM_ADMINISTRATOR)
  return {
    issuer: iss,
    subject: sub,
    tenantId: isName(tenant_id) ? tenant_id : null,
    roles,
    buildingIds: seesEveryBuilding(roles) ? null : buildingIdsOf(claims),
    actor: isSandboxToken ? 'sandbox' : actorOf(claims, sub),
    // Service accounts have no email address.
    isPerson: !isSandboxToken && isName(claims.email),
    isAdministrator: roles.includes(PLATFORM_ADMINISTRATOR),
    issuedAt: momentOf(claims.iat),
    expiresAt: momentOf(claims.exp),
  }
}

/** An invalid claim gives access to no building. Some providers write a list with one id as a string. */
function buildingIdsOf({ building_ids: ids }: Claims): string[] | null {
  if (ids === undefined) return null
  const list = Array.isArray(ids) ? ids : [ids]
  return list.filter(isName).map((id) => id.toLowerCase())
}

/** The time in `iat` or `exp`. Every verifier requires both claims, so they are present. */
function momentOf(seconds: unknown): Date {
  return new Date(Number(seconds) * 1000)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
