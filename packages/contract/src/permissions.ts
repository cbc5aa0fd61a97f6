/**
 * The roles in a sandbox. `PERMISSIONS` lists the roles that have each permission. Routes name the permission that they
 * require, and the API document shows the roles that have it.
 */
export const ROLES = ['user', 'accountant', 'manager', 'admin', 'building-graph-writer'] as const
export type Role = (typeof ROLES)[number]

/** The role of the sandbox's own token, which has every permission inside that sandbox. */
export const PLATFORM_ADMINISTRATOR = 'platform-administrator'

const everyone = ROLES

export const PERMISSIONS = {
  'building.graph:read': everyone,
  'building.layers:read': everyone,
  'building.faults:read': everyone,
  'service-desk.requests:read': everyone,
  'service-desk.requests:create': everyone,
  'building.graph:write': ['manager', 'admin', 'building-graph-writer'],
  'building.layers:write': ['manager', 'building-graph-writer'],
  'building.changesets:write': ['manager', 'admin'],
  'building.faults:write': ['manager', 'admin'],
  'building.changesets:review': ['manager', 'admin'],
  'data-import.sync:read': ['accountant', 'manager', 'admin'],
  'data-import.sync:write': ['accountant', 'manager', 'admin'],
  'service-desk.requests:manage': ['manager', 'admin'],
  'platform.webhooks:write': ['manager'],
  'platform.webhooks:read': ['manager', 'admin'],
  'platform.people:read': everyone,
  'platform.people:write': ['admin'],
  'platform.registry:write': [],
  'platform.licenses:write': [],
  'building.simulation:write': [],
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof PERMISSIONS

/** Whether these roles have access to every building of the tenant, regardless of `building_ids` in the token. */
export const seesEveryBuilding = (roles: readonly string[]): boolean => roles.includes('building-graph-writer')

/** Used in place of a permission: any token of the tenant is enough, if it is valid for the building in the path. */
export const TENANT_ACCESS = 'tenant'

export function holds(roles: readonly string[], permission: Permission): boolean {
  if (roles.includes(PLATFORM_ADMINISTRATOR)) return true
  const holders: readonly string[] = PERMISSIONS[permission]
  return roles.some((role) => holders.includes(role))
}
