import { problems } from '@storey/contract'
import { bearerToken } from '@storey/kit/http'
import { type Caller, checkTenant } from '../caller.ts'
import type { Authenticate } from '../http/index.ts'

interface Handshake {
  auth: Record<string, unknown>
  headers: { authorization?: string | undefined }
}

export type SignIn = (handshake: Handshake) => Promise<Caller>

/** Checks the token and then the tenant, as the platform API does. The building is checked with each command. */
export function createSignIn(authenticate: Authenticate, tenantId: string): SignIn {
  return async (handshake) => {
    const caller = await authenticate(tokenOf(handshake))
    checkTenant(caller, tenantId)
    return caller
  }
}

/** The token in the auth object, which a browser can send, or else the token in the Authorization header. */
function tokenOf({ auth: { token }, headers }: Handshake): string {
  if (token === undefined) return bearerToken(headers.authorization)
  if (typeof token !== 'string') throw problems.unauthenticated('The token must be a string')
  return bearerToken(`Bearer ${token}`)
}
