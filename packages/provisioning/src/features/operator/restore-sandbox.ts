import { restoreSandbox, type SandboxRow } from '../sandboxes/index.ts'
import { lockTarget, type OperatorDeps } from './operator.ts'
import { insertOperation } from './operator-audit.store.ts'

/** Restores an expired sandbox within its grace period. */
export async function restoreByOperator(
  { control, operator }: OperatorDeps,
  idOrSlug: string,
  days?: number,
): Promise<SandboxRow> {
  return await control.transaction(async (tx) => {
    const { id } = await lockTarget(tx, idOrSlug)
    const row = await restoreSandbox(tx, id, days)
    const details = { expiresAt: row.expiresAt }
    await insertOperation(tx, operator, { command: 'sandbox restore', subject: id, details })
    return row
  })
}
