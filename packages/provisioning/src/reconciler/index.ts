export { skipAbsence } from './absence.ts'
export { type ForeignDatabase, findForeign } from './foreign.ts'
export {
  type DroppedLeftover,
  dropLeftover,
  findLeftovers,
  keyOf,
  type Leftover,
  type LeftoverDeps,
  QUARANTINE_MS,
} from './leftovers.ts'
export { migrateSandbox } from './migrate.ts'
export { createMigrationSchedule } from './migration-schedule.ts'
export { findLostDatabase } from './missing-database.ts'
export type { CreationObserver } from './provision.ts'
export { createReconciler, type Reconciler } from './reconciler.ts'
export { holdsWorkLock, withWorkLock } from './work-lock.store.ts'
