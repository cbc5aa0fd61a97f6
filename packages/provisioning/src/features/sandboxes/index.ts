export type { Busy } from './busy.store.ts'
export { listClosed } from './closed.store.ts'
export { sandboxToken } from './connect-sandbox.ts'
export { countExpired, keepDatabases, keepExpired, startExpired, startPurge, undoExpired } from './expiry.store.ts'
export {
  countMigrations,
  filterToMigrate,
  listToMigrate,
  type MigrationCounts,
  markBehind,
  markBehindOne,
  postponeMigration,
  setMigrated,
  setMigrationFailed,
  setMigrationProgress,
  setSchemaVersion,
} from './migrations.store.ts'
export { DATABASE_MISSING, type LookedFor, listMissing, setFound, setMissing } from './missing-database.store.ts'
export { ownTenant } from './own-tenant.ts'
export { refuseMigrating, SCHEMA_AHEAD } from './refuse-migrating.ts'
export { refuseSuspended } from './refuse-suspended.ts'
export { refuseSwitching } from './refuse-switching.ts'
export { restoreSandbox } from './restore-sandbox.ts'
export type { SandboxDeps } from './sandbox-deps.ts'
export { sandboxRoutes } from './sandboxes.routes.ts'
export {
  countAttempt,
  deleteRow,
  findAny,
  findBoundary,
  findByName,
  findBySlugs,
  findOwn,
  findVisible,
  listAny,
  listOwned,
  listTenants,
  listToRemove,
  lockByName,
  moveExpiry,
  type OwnedRow,
  readSlugs,
  readWorkStates,
  type SandboxRow,
  setFailed,
  setProgress,
  setReady,
  setStorage,
  startRemovalOfAny,
  statusCounts,
  type WorkState,
} from './sandboxes.store.ts'
export * from './suspension.store.ts'
export { listToProvision, type SandboxSize, type ToProvision } from './to-provision.store.ts'
