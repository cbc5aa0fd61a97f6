import { problems } from '@storey/contract'
import type { SandboxRow } from './sandboxes.store.ts'

/** The failure reason of a sandbox whose database is newer than this service. */
export const SCHEMA_AHEAD = 'The database of the sandbox is newer than this version of the service: update the service'

const RETRY_S = 5
const RETRY_FAILED_S = 60

/** Throws a 503 until the migration is done, because a stack works only with the schema of its own version. */
export function refuseMigrating(row: Pick<SandboxRow, 'migrationTarget' | 'migrationFailure'>): void {
  if (row.migrationTarget === null) return
  if (row.migrationFailure === null) {
    throw problems.notReady('The database of the sandbox is being migrated to a newer schema version', RETRY_S)
  }
  if (row.migrationFailure === SCHEMA_AHEAD) throw problems.notReady(SCHEMA_AHEAD, RETRY_FAILED_S)
  throw problems.notReady("The migration of the sandbox's database failed and will be retried", RETRY_FAILED_S)
}
