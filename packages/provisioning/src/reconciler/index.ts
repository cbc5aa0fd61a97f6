export { migrateSandbox } from './migrate.ts'
export { failWithoutDatabase } from './missing-database.ts'
export { createReconciler, type Reconciler } from './reconciler.ts'
export { underWorkLock } from './work-lock.store.ts'
