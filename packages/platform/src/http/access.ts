import { PERMISSIONS, type Permission, PLATFORM_ADMINISTRATOR, type ProblemCode, TENANT_ACCESS } from '@storey/contract'

interface Route {
  method: string | string[]
  url: string
  config?: { access?: string; grows?: boolean }
}

/** Throws at startup if a route requires an unknown permission, or if its building id would not be checked. */
export function checkRoute({ method, url, config }: Route): void {
  const access = config?.access ?? ''
  if (access !== 'public' && access !== TENANT_ACCESS && !isPermission(access)) {
    throw new Error(`${method} ${url} requires ${access}, which is not a permission: use one of PERMISSIONS`)
  }
  if (/\/buildings\/:(?!buildingId(\/|$))/.test(url)) {
    throw new Error(`${method} ${url} has a building that is not checked: name the parameter :buildingId`)
  }
}

/**
 * The problems that the API description lists: a suspended sandbox (answered by the gateway), a missing permission and,
 * if the call can increase the storage of the sandbox, full storage.
 */
export function problemsOf(route: Route): ProblemCode[] {
  if (route.config?.access === 'public') return []
  const refusals: ProblemCode[] = ['PERMISSION_DENIED', 'SANDBOX_SUSPENDED']
  return grows(route) ? [...refusals, 'QUOTA_EXCEEDED'] : refusals
}

/** Whether a call can increase the storage of the sandbox. */
export function grows({ method, config }: Pick<Route, 'method' | 'config'>): boolean {
  return [method].flat().some((name) => WRITES.has(name)) && config?.grows !== false
}

const WRITES = new Set(['POST', 'PUT', 'PATCH'])

/** The roles that the API description lists. Undefined if no role is required. */
export function rolesThatHold(access: string): readonly string[] | undefined {
  return isPermission(access) ? [...PERMISSIONS[access], PLATFORM_ADMINISTRATOR] : undefined
}

function isPermission(access: string): access is Permission {
  return Object.hasOwn(PERMISSIONS, access)
}
