import { ROLES } from '@storey/contract'

/** The roles in the order in which the console lists them. Unknown roles are left out. */
export const inOrder = (roles: readonly string[]): readonly string[] => ROLES.filter((role) => roles.includes(role))
