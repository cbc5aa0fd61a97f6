export { CreateRightsMissing } from './create-rights.ts'
export { type MigrateTenantDeps, migrateTenant, tenantVersion } from './migrate-tenant.ts'
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
