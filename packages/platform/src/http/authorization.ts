import { timingSafeEqual } from 'node:crypto'
import { holds, INTERNAL_KEY_HEADER, type Permission, problems, TENANT_ACCESS } from '@storey/contract'
import { type AuthorizationScheme, bearerToken, type HttpOptions } from '@storey/kit/http'
import { type Caller, callerKey, checkScope, checkTenant, setCaller, setInternal } from '../caller.ts'
import { grows } from './access.ts'
import type { Authenticate } from './authentication.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False for a write that adds almost nothing, or frees storage: it is allowed when the storage is used up. */
    grows?: boolean
    /** The schemes of the Authorization header; by default Bearer. */
    authorization?: readonly AuthorizationScheme[]
  }
}

export interface AuthorizationOptions {
  internalKey?: string | undefined
  /** Throws while the storage is used up. Gets the declared length of the body. */
  checkCapacity?: ((bytes: number) => void) | undefined
}

/**
 * Counts the request for the rate limit of the caller, then checks the tenant: a token of another tenant is refused,
 * whichever roles it has. Then come the rate limit of the sandbox, the building in the path, the permission of the
 * route and, for writes, the storage. A caller with the role building-graph-writer passes the check of any building,
 * because `toCaller` in `authentication.ts` gives it every building of the tenant. The key of the control plane gives
 * no access: requests with this key are checked like any other request. But they are not rate-limited, and an ingest
 * with this key may name the time of arrival and gets shorter errors.
 */
export function createAuthorization(
  tenantId: string,
  authenticate: Authenticate,
  { internalKey, checkCapacity }: AuthorizationOptions = {},
): HttpOptions['authorize'] {
  return async (request, access, count) => {
    const { authorization: schemes } = request.routeOptions.config
    const caller = await authenticate(bearerToken(request.headers.authorization, schemes))
    const isInternal = hasKey(request.headers[INTERNAL_KEY_HEADER], internalKey)
    if (isInternal) setInternal(request)
    count(isInternal ? null : callerKey(caller))
    const { buildingId } = request.params as { buildingId?: string }
    checkCaller(caller, { tenantId, access, buildingId, onTenant: count.shared })
    // The storage is checked after the caller is authorized, and before the body is read.
    if (checkCapacity && grows({ method: request.method, config: request.routeOptions.config }))
      checkCapacity(declaredBytes(request.headers))
    setCaller(request, caller)
  }
}

export interface RequiredAccess {
  tenantId: string
  /** The `access` of the route. */
  access: string
  /** The building in the path. */
  buildingId: string | undefined
  /** Called when the caller is known to be of the tenant. */
  onTenant?(): void
}

/** Throws unless the caller may use the route. */
export function checkCaller(caller: Caller, { tenantId, access, buildingId, onTenant }: RequiredAccess): void {
  checkTenant(caller, tenantId)
  // After the tenant check, so that an account of another tenant cannot use up the limit of the sandbox.
  onTenant?.()
  if (buildingId !== undefined) checkScope(caller, buildingId)
  if (access !== TENANT_ACCESS && !holds(caller.roles, access as Permission)) throw problems.permissionDenied(access)
}

/** The assumed length of a chunked body. */
const UNKNOWN_LENGTH_BYTES = 1024 * 1024

function declaredBytes(headers: Parameters<HttpOptions['authorize']>[0]['headers']): number {
  if (headers['transfer-encoding'] !== undefined) return UNKNOWN_LENGTH_BYTES
  return Number(headers['content-length'] ?? 0) || 0
}

function hasKey(sent: string | string[] | undefined, key: string | undefined): boolean {
  if (typeof sent !== 'string' || key === undefined) return false
  const [a, b] = [Buffer.from(sent), Buffer.from(key)]
  return a.length === b.length && timingSafeEqual(a, b)
}
