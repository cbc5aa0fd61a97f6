import { PERMISSIONS, type Permission, PLATFORM_ADMINISTRATOR, type ProblemCode, TENANT_ACCESS } from '@storey/contract'

interface Route {
  method: string | string[]
  url: string
  config?: { access?: string; grows?: boolean }
}

/** A route that nobody could be let in to by the table, or whose building would go unchecked, stops the start. */
export function checkRoute({ method, url, config }: Route): void {
  const access = config?.access ?? ''
  if (access !== 'public' && access !== TENANT_ACCESS && !isPermission(access)) {
    throw new Error(`${method} ${url} asks for ${access}, which is no permission: name one of PERMISSIONS`)
  }
  if (/\/buildings\/:(?!buildingId(\/|$))/.test(url)) {
    throw new Error(`${method} ${url} hides the building from the check of access: call it :buildingId`)
  }
}

/** For the API's document: a caller without the permission, and a write when the storage of the sandbox is used up. */
export function problemsOf(route: Route): ProblemCode[] {
  if (route.config?.access === 'public') return []
  return grows(route) ? ['PERMISSION_DENIED', 'QUOTA_EXCEEDED'] : ['PERMISSION_DENIED']
}

/** Whether a call makes the sandbox take more of the disk. */
export function grows({ method, config }: Pick<Route, 'method' | 'config'>): boolean {
  return [method].flat().some((name) => WRITES.has(name)) && config?.grows !== false
}

const WRITES = new Set(['POST', 'PUT', 'PATCH'])

/** For the API's document. Undefined where no role is asked for. */
export function rolesThatHold(access: string): readonly string[] | undefined {
  return isPermission(access) ? [...PERMISSIONS[access], PLATFORM_ADMINISTRATOR] : undefined
}

function isPermission(access: string): access is Permission {
  return Object.hasOwn(PERMISSIONS, access)
}
