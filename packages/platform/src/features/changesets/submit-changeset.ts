import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { ByCaller } from '../../caller.ts'
import { type ChangesetAddress, writeStep } from './changesets.store.ts'
import { checkStep, requireChangeset } from './steps.ts'

export async function submitChangeset(
  db: Database,
  clock: Clock,
  address: ChangesetAddress,
  comment: string | null | undefined,
  { caller, precondition }: ByCaller,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id, state } = await requireChangeset(tx, address, precondition)
    checkStep(state, 'submit')
    await writeStep(tx, id, { action: 'submit', state: 'submitted', at: clock.now(), actor: caller.actor, comment })
  })
}
