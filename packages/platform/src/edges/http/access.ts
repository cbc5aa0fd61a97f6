import { PERMISSIONS, type Permission, PLATFORM_ADMINISTRATOR, TENANT_ACCESS } from '@storey/contract'

interface Route {
  method: string | string[]
  url: string
  config?: { access?: string }
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

/** For the API's document. Undefined where no role is asked for. */
export function rolesThatHold(access: string): readonly string[] | undefined {
  return isPermission(access) ? [...PERMISSIONS[access], PLATFORM_ADMINISTRATOR] : undefined
}

function isPermission(access: string): access is Permission {
  return Object.hasOwn(PERMISSIONS, access)
}
