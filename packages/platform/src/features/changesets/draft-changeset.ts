import { randomUUID } from 'node:crypto'
import {
  type ChangesetPatch,
  checkQuota,
  type NewChangeset,
  type Operation,
  problems,
  type StoredOperation,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { type ByCaller, type Caller, callerKey } from '../../caller.ts'
import type { GraphAccess } from '../../graph/index.ts'
import {
  type ChangesetAddress,
  countOpenChangesets,
  countSteps,
  insertChangeset,
  lockChangeset,
  readChangeset,
  updateDraft,
  versionAfter,
  writeStep,
} from './changesets.store.ts'
import { refusalOfDraft } from './conflicts.ts'
import { readOperations } from './read-operations.ts'
import { runOperations } from './run-operations.ts'
import { checkStep } from './steps.ts'

export async function createDraft(
  db: Database,
  graph: GraphAccess,
  clock: Clock,
  buildingId: string,
  { title, description = null, operations }: NewChangeset,
  caller: Caller,
): Promise<string> {
  const tried = await tryOperations(graph, buildingId, operations)
  const id = randomUUID()
  const at = clock.now()
  const author = caller.actor
  await db.transaction(async (tx) => {
    const draft = { id, buildingId, title, description, ...tried, author, writer: callerKey(caller), at }
    checkQuota('openChangesets', await countOpenChangesets(tx, buildingId))
    await insertChangeset(tx, draft)
    await writeStep(tx, id, { action: 'create', state: 'draft', at, actor: author })
  })
  return id
}

export async function changeDraft(
  db: Database,
  graph: GraphAccess,
  clock: Clock,
  address: ChangesetAddress,
  { title, description, operations }: ChangesetPatch,
  { caller, precondition }: ByCaller,
): Promise<void> {
  // Version and state are checked before the operations are tried. They are checked again under the lock, because
  // another request may change the draft meanwhile.
  const known = await readChangeset(db, address)
  if (!known) throw problems.notFound('changeset')
  precondition.check(versionAfter(known.id, await countSteps(db, known.id)))
  checkStep(known.state, 'change')
  const tried = operations && (await tryOperations(graph, address.buildingId, operations))
  await db.transaction(async (tx) => {
    const { id, state } = (await lockChangeset(tx, address))!
    const steps = await countSteps(tx, id)
    precondition.check(versionAfter(id, steps))
    checkStep(state, 'change')
    checkQuota('changesetSteps', steps)
    const writer = callerKey(caller)
    await updateDraft(tx, id, { title, description, written: tried && { ...tried, writer } })
    await writeStep(tx, id, { action: 'change', state: 'draft', at: clock.now(), actor: caller.actor })
  })
}

/** Normalizes the operations and tries them on the current graph; `baseRevision` is the revision of that graph. */
async function tryOperations(
  graph: GraphAccess,
  buildingId: string,
  operations: readonly Operation[],
): Promise<{ operations: StoredOperation[]; baseRevision: number }> {
  const kept = readOperations(operations)
  return graph.preview(buildingId, async (edit) => {
    const findings = await runOperations(edit, kept)
    if (findings.length > 0) throw refusalOfDraft(findings)
    return { operations: kept, baseRevision: edit.head.revision }
  })
}
