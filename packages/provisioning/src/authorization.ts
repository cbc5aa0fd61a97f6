import type { HttpOptions } from '@storey/kit/http'
import type { createAudit } from './features/audit/index.ts'
import type { createAuthenticate } from './features/keys/index.ts'

/**
 * Finds the caller of a request, and counts the request for the caller's developer, because the rate limit is per
 * developer and not per key. What a key or a session may do is decided in `features/keys/scopes.ts`.
 */
export function createAuthorization(
  authenticate: ReturnType<typeof createAuthenticate>,
  audit: Pick<ReturnType<typeof createAudit>, 'note'>,
): HttpOptions['authorize'] {
  return async (request, access, count) => {
    const { authorization } = request.headers
    request.caller = await authenticate(authorization, access, (seen) => audit.note(request, seen), count)
  }
}
