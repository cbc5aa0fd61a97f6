import { problems } from '@storey/contract'
import { DATABASE_MISSING, refuseMigrating, refuseSuspended, type SandboxRow } from '../features/sandboxes/index.ts'

/** Throws if the sandbox cannot get requests now. `start-stack.ts` checks this again, with a row that is not cached. */
export function refuseUnready(row: SandboxRow): void {
  const { status } = row
  refuseSuspended(row)
  if (status === 'provisioning') throw problems.notReady('The sandbox is being provisioned', 2)
  if (status === 'failed') {
    const isMissing = row.failureReason === DATABASE_MISSING
    throw problems.notReady(isMissing ? DATABASE_MISSING : 'The sandbox has failed: reset or delete it', 60)
  }
  refuseMigrating(row)
}
