import { problems } from '@storey/contract'
import { bearerToken } from '@storey/kit/http'
import { type Caller, checkTenant } from '../caller.ts'
import type { Authenticate } from '../http/index.ts'

interface Handshake {
  auth: Record<string, unknown>
  headers: { authorization?: string | undefined }
}

export type SignIn = (handshake: Handshake) => Promise<Caller>

/** The same checks as at the platform API: the token, then the tenant. The building comes with the orders. */
export function createSignIn(authenticate: Authenticate, tenantId: string): SignIn {
  return async (handshake) => {
    const caller = await authenticate(tokenOf(handshake))
    checkTenant(caller, tenantId)
    return caller
  }
}

/** The field of the auth object, which a browser can send as well; where there is none, the header. */
function tokenOf({ auth: { token }, headers }: Handshake): string {
  if (token === undefined) return bearerToken(headers.authorization)
  if (typeof token !== 'string') throw problems.unauthenticated('The token is not a text')
  return bearerToken(`Bearer ${token}`)
}
