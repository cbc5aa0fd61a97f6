export type { TenantMark } from './mark.ts'
export { type MigrateTenantDeps, migrateTenant, tenantVersion } from './migrate-tenant.ts'
export { createTenants, dropTenant, presentTenants, type Tenants, tenantAddresses, tenantBytes } from './tenants.ts'
