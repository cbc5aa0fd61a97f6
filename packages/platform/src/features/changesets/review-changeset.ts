import { Problem, type Review } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { type ByCaller, callerKey } from '../../caller.ts'
import { type ChangesetAddress, writeStep } from './changesets.store.ts'
import { checkStep, requireChangeset } from './steps.ts'

export async function reviewChangeset(
  db: Database,
  clock: Clock,
  address: ChangesetAddress,
  { decision, comment }: Review,
  { caller, precondition }: ByCaller,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id, state, writers } = await requireChangeset(tx, address, precondition)
    checkStep(state, 'review')
    if (writers.includes(callerKey(caller)) && !caller.isAdministrator) {
      throw new Problem('PERMISSION_DENIED', 'An author of the operations cannot review them: ask somebody else')
    }
    const step = decision === 'approve' ? ({ state: 'approved' } as const) : ({ state: 'rejected' } as const)
    await writeStep(tx, id, { action: decision, ...step, at: clock.now(), actor: caller.actor, comment })
  })
}
