import { Problem, problems, type Review } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import type { Precondition } from '@storey/kit/http'
import type { ByCaller, Caller } from '../../caller.ts'
import {
  type Changeset,
  type ChangesetAddress,
  countSteps,
  lockChangeset,
  versionAfter,
  writeStep,
} from './changesets.store.ts'
import { checkStep } from './steps.ts'

/** Issuer and subject: names are not unique and may change. */
export const identityOf = ({ issuer, subject }: Caller) => `${issuer} ${subject}`

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
    if (writers.includes(identityOf(caller)) && !caller.isAdministrator) {
      throw new Problem('PERMISSION_DENIED', 'The author of a changeset cannot review it: ask somebody else')
    }
    const step = decision === 'approve' ? ({ state: 'approved' } as const) : ({ state: 'rejected' } as const)
    await writeStep(tx, id, { action: decision, ...step, at: clock.now(), actor: caller.actor, comment })
  })
}

export async function requireChangeset(
  tx: Tx,
  address: ChangesetAddress,
  precondition: Precondition,
): Promise<Changeset> {
  const changeset = await lockChangeset(tx, address)
  if (!changeset) throw problems.notFound('changeset')
  precondition.check(versionAfter(changeset.id, await countSteps(tx, changeset.id)))
  return changeset
}
