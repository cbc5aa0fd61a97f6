export { createExternalDirectory } from './external-directory.ts'
export type { AdminServiceAccount, AdminUser, IdentityAdmin } from './identity-admin.ts'
export { createKeycloakAdmin } from './keycloak/keycloak-admin.ts'
