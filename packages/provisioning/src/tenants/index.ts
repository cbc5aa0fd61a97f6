export { type MigrateTenantDeps, migrateTenant, readTenantVersion, tenantVersion } from './migrate-tenant.ts'
export { UNKNOWN_OWNER } from './other-owner.ts'
export { CreateRightsMissing, DatabaseInUse } from './refusals.ts'
export { refuseForeign } from './servers/refuse-foreign.ts'
export { ServerUnavailable } from './servers/server-unavailable.ts'
export { listDraining, readLoads, setServer } from './servers/servers.store.ts'
export {
  CONTROL_SERVER,
  openTenantServers,
  type ServerEntry,
  type ServerState,
  type TenantServers,
} from './servers/tenant-servers.ts'
export { isIncomplete, isOfUnknownOrigin, isVerified, mayBeNewer, type TenantMetadata } from './tenant-metadata.ts'
export { ALL_IDS, createTenants, type IdRange, type Tenants } from './tenants.ts'
export { unusableReason } from './verify-tenant.ts'
