import { problems } from '@storey/contract'
import type { Database, Tx } from '@storey/kit/database'
import { lockByName, type SandboxRow } from '../sandboxes/index.ts'

/** What the operator commands in this folder need. */
export interface OperatorDeps {
  control: Database
  /** Who runs the command, for the audit log. */
  operator: string
}

/** Locks the sandbox that a command names by its id or slug. */
export async function lockTarget(tx: Tx, idOrSlug: string): Promise<SandboxRow> {
  const row = await lockByName(tx, idOrSlug)
  if (!row) throw problems.notFound(`sandbox: ${idOrSlug}`)
  return row
}

/** Locks the sandbox like `lockTarget`, but throws if it is being removed. */
export async function lockKept(tx: Tx, idOrSlug: string): Promise<SandboxRow> {
  const row = await lockTarget(tx, idOrSlug)
  if (row.removingAt) throw problems.conflict('status', `The sandbox ${row.slug} is being removed`)
  return row
}
