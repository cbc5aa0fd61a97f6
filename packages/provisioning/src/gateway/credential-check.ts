import type { ClaimNames } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { bearerToken } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { claimedIssuer, createRealmVerifier, createTokenVerifier, type TokenRules } from '@storey/kit/tokens'

/** Whether an Authorization header has a valid token for this sandbox. */
export type CredentialCheck = (
  sandbox: { id: string; tenantId: string },
  authorization: string | undefined,
) => Promise<boolean>

export interface CredentialCheckOptions {
  /** The public key with which the sandboxes' own tokens are verified. */
  publicKey: TokenRules['publicKey']
  /** The issuer of the realm of the users and service accounts of sandboxes; null if there is no such realm. */
  sandboxesIssuer: string | null
  /** Claims that have other names at that realm. */
  sandboxesClaims?: ClaimNames | undefined
  clock: Clock
  log: Log
}

/**
 * Checks tokens in the gateway, before the stack runs: if there is no capacity to start a stack, another stack is
 * stopped only for a request with a valid token. The stack checks the token again, with the rest of the request.
 */
export function createCredentialCheck(options: CredentialCheckOptions): CredentialCheck {
  const { publicKey, sandboxesIssuer, sandboxesClaims: claims, clock, log } = options
  const rules = { log, ...(claims ? { claims } : {}) }
  const realm = sandboxesIssuer === null ? undefined : createRealmVerifier(sandboxesIssuer, clock, rules)

  async function check(id: string, tenantId: string, token: string): Promise<boolean> {
    if (realm && claimedIssuer(token) === sandboxesIssuer) return (await realm.verify(token)).tenant_id === tenantId
    const own = await createTokenVerifier({ audience: id, publicKey }, clock)
    await own.verify(token)
    return true
  }

  return async ({ id, tenantId }, authorization) => {
    try {
      return await check(id, tenantId, bearerToken(authorization, ['Bearer', 'Token']))
    } catch {
      return false
    }
  }
}
