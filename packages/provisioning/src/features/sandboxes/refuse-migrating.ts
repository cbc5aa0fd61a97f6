import { problems } from '@storey/contract'
import type { SandboxRow } from './sandboxes.store.ts'

const RETRY_S = 5
const RETRY_FAILED_S = 60

/** A stack runs on the newest schema only: until its database is there, callers come back later. */
export function refuseMigrating(row: Pick<SandboxRow, 'migrationTarget' | 'migrationFailure'>): void {
  if (row.migrationTarget === null) return
  if (row.migrationFailure === null) {
    throw problems.notReady('The sandbox is being migrated to a newer version of its database', RETRY_S)
  }
  throw problems.notReady('The database of the sandbox could not be migrated, and is tried again', RETRY_FAILED_S)
}
