import type { IncomingMessage } from 'node:http'
import {
  type ClaimNames,
  holds,
  type Permission,
  PLATFORM_ADMINISTRATOR,
  Problem,
  problems,
  rolesAt,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Queryable } from '@storey/kit/database'
import { bearerToken, type HttpOptions } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { claimedIssuer, createRealmVerifier, createTokenVerifier, type TokenRules } from '@storey/kit/tokens'
import { type Directory, findRevoked } from '../accounts/index.ts'

/** The sandbox whose people a request is about. */
export interface PeopleSandbox {
  id: string
  tenantId: string
}

/** The caller of a route that reads or changes the people of a sandbox. */
export interface PeopleCaller {
  sandbox: PeopleSandbox
  /** The id of the account or service account; null for the token of the sandbox. */
  id: string | null
  /** The name in the audit log. */
  actor: string
}

export interface PeopleTrust {
  control: Queryable
  clock: Clock
  log: Log
  /** The public key with which the sandboxes' own tokens are verified. */
  publicKey: TokenRules['publicKey']
  sandboxesIssuer: string | null
  /** The required `aud` of the realm's tokens. Absent for an external provider without a configured audience. */
  sandboxesAudience: string | undefined
  /** Claims that have other names in the tokens of `sandboxesIssuer`. */
  sandboxesClaims?: ClaimNames | undefined
  /**
   * Addresses of this service that may occur in the `aud` of tokens of an external provider without a configured
   * audience.
   */
  ownAudiences: readonly string[]
  directory: Directory | undefined
  sandboxOf(request: IncomingMessage): PeopleSandbox
  onCaller(request: IncomingMessage, caller: PeopleCaller): void
}

interface Authenticated {
  subject: string
  tenantId: unknown
  /** The roles in the token. They do not count for an account if there is a directory, which has the current roles. */
  roles: readonly string[]
  issuedAt: Date
  isSandboxToken: boolean
}

/**
 * Checks the token as a stack does, and then reads the account: the current roles of the account decide, not the roles
 * in the token. So an administrator who was removed, or has lost the role, can change nothing, however long the token
 * is valid. Without a directory, and for the token of the sandbox itself, the roles in the token decide.
 */
export function createPeopleAuthorization(trust: PeopleTrust): HttpOptions['authorize'] {
  const { control, clock, log, publicKey, sandboxesIssuer: issuer, sandboxesAudience, directory } = trust
  const audience = sandboxesAudience === undefined ? { own: trust.ownAudiences } : { required: sandboxesAudience }
  const rules = { log, audience, ...(trust.sandboxesClaims ? { claims: trust.sandboxesClaims } : {}) }
  const realm = issuer === null ? undefined : createRealmVerifier(issuer, clock, rules)

  async function authenticate(sandbox: PeopleSandbox, token: string): Promise<Authenticated> {
    const isOfRealm = realm !== undefined && claimedIssuer(token) === issuer
    const verifier = isOfRealm ? realm : await createTokenVerifier({ audience: sandbox.id, publicKey }, clock)
    const claims = await verifier.verify(token)
    if (typeof claims.sub !== 'string' || claims.sub === '') throw problems.unauthenticated('The token has no subject')
    return {
      subject: claims.sub,
      tenantId: claims.tenant_id,
      roles: rolesAt(claims).filter((role) => !isOfRealm || role !== PLATFORM_ADMINISTRATOR),
      issuedAt: new Date(claims.iat! * 1000),
      isSandboxToken: !isOfRealm,
    }
  }

  /** The account with its current roles. Throws if the account was removed, or if this token was revoked. */
  async function findMember(sandbox: PeopleSandbox, { subject, issuedAt }: Authenticated) {
    const { tenantId } = sandbox
    const account = await directory!.people.find(tenantId, subject)
    const known = account ?? (await directory!.serviceAccounts.find(tenantId, subject))
    const revokedAt = await findRevoked(control, sandbox.id, subject)
    if (known === undefined || (revokedAt !== undefined && issuedAt <= revokedAt))
      throw problems.unauthenticated('The token is not valid here')
    return { roles: known.roles, actor: account?.email ?? subject }
  }

  return async (request, access, count) => {
    const sandbox = trust.sandboxOf(request.raw)
    const token = await authenticate(sandbox, bearerToken(request.headers.authorization))
    count(`${sandbox.id} ${token.subject}`)
    if (token.tenantId !== sandbox.tenantId)
      throw new Problem('PERMISSION_DENIED', 'The token belongs to another tenant, or to none')
    const isMember = !token.isSandboxToken && directory !== undefined
    const { roles, actor } = isMember
      ? await findMember(sandbox, token)
      : { roles: token.roles, actor: token.isSandboxToken ? 'sandbox' : token.subject }
    if (!holds(roles, access as Permission)) throw problems.permissionDenied(access)
    trust.onCaller(request.raw, { sandbox, id: token.isSandboxToken ? null : token.subject, actor })
  }
}
