export { type MigrateTenantDeps, migrateTenant, tenantVersion } from './migrate-tenant.ts'
export { CreateRightsMissing, DatabaseInUse } from './refusals.ts'
export type { TenantMetadata } from './tenant-metadata.ts'
export {
  createTenants,
  dropTenant,
  presentTenants,
  type Tenants,
  tenantAddresses,
  tenantBytes,
  tenantConnections,
} from './tenants.ts'
