import { holds, type Permission, Problem, problems } from '@storey/contract'
import { bearerToken, type HttpOptions } from '@storey/kit/http'
import { createTokenVerifier, type TokenRules } from '@storey/kit/tokens'

type Claims = Record<string, unknown>

/** Turns the text of a token into its claims, or throws UNAUTHENTICATED. One per issuer that a stack believes. */
export type Authenticate = (token: string) => Promise<Claims>

/** The sandbox's own token: signed by the control plane, with this sandbox as its audience. */
export async function sandboxTokens(rules: TokenRules): Promise<Authenticate> {
  const verifier = await createTokenVerifier(rules)
  return (token) => verifier.verify(token)
}

/**
 * Who may call what. The tenant comes first, for every caller: a token of another tenant is refused, whichever roles
 * it names. Then the permission that the route asks for.
 */
export function createAuthorization(tenantId: string, authenticate: Authenticate): HttpOptions['authorize'] {
  return async (request, access) => {
    const claims = await authenticate(bearerToken(request.headers.authorization))
    if (claims.tenant_id !== tenantId) {
      throw new Problem('PERMISSION_DENIED', 'The token belongs to another tenant, or to none')
    }
    if (!holds(rolesOf(claims), access as Permission)) throw problems.permissionDenied(access)
  }
}

function rolesOf(claims: Claims): string[] {
  const { roles } = (claims.realm_access ?? {}) as { roles?: unknown }
  return Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : []
}
