import { timingSafeEqual } from 'node:crypto'
import { holds, INTERNAL_KEY_HEADER, type Permission, problems, TENANT_ACCESS } from '@storey/contract'
import { bearerToken, type HttpOptions } from '@storey/kit/http'
import { checkScope, checkTenant, setCaller, setInternal } from '../caller.ts'
import { grows } from './access.ts'
import type { Authenticate } from './authentication.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False for a write that adds nothing worth mentioning, or makes room: it is let through when storage is used up. */
    grows?: boolean
  }
}

export interface AuthorizationOptions {
  internalKey?: string | undefined
  /** Throws while there is no room for more; hears how many bytes the body announces. */
  checkCapacity?: ((bytes: number) => void) | undefined
}

/**
 * Who may call what. The tenant comes first, for every caller: a token of another tenant is refused, whichever roles
 * it names. Then the building in the path, then the permission that the route asks for. The key of the control plane
 * opens nothing: what it passes on is checked like anything else, only not counted, and refused in few words.
 */
export function createAuthorization(
  tenantId: string,
  authenticate: Authenticate,
  { internalKey, checkCapacity }: AuthorizationOptions = {},
): HttpOptions['authorize'] {
  return async (request, access, count) => {
    const caller = await authenticate(bearerToken(request.headers.authorization))
    const isInternal = bearsKey(request.headers[INTERNAL_KEY_HEADER], internalKey)
    if (isInternal) setInternal(request)
    count(isInternal ? null : `${caller.issuer} ${caller.subject}`)
    checkTenant(caller, tenantId)
    // Only now: an account of another tenant must not use up what those of this one share.
    count.shared()
    const { buildingId } = request.params as { buildingId?: string }
    if (buildingId !== undefined) checkScope(caller, buildingId)
    if (access !== TENANT_ACCESS && !holds(caller.roles, access as Permission)) throw problems.permissionDenied(access)
    // Before the body is read, and not before the caller is known to be one of the sandbox.
    if (checkCapacity && grows({ method: request.method, config: request.routeOptions.config }))
      checkCapacity(announcedBytes(request.headers))
    setCaller(request, caller)
  }
}

/** A body that comes in pieces does not say how long it will be. */
const UNANNOUNCED_BYTES = 1024 * 1024

function announcedBytes(headers: Parameters<HttpOptions['authorize']>[0]['headers']): number {
  if (headers['transfer-encoding'] !== undefined) return UNANNOUNCED_BYTES
  return Number(headers['content-length'] ?? 0) || 0
}

function bearsKey(sent: string | string[] | undefined, key: string | undefined): boolean {
  if (typeof sent !== 'string' || key === undefined) return false
  const [a, b] = [Buffer.from(sent), Buffer.from(key)]
  return a.length === b.length && timingSafeEqual(a, b)
}
