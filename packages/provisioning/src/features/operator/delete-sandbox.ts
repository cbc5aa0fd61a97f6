import { type SandboxRow, startRemovalOfAny } from '../sandboxes/index.ts'
import { lockTarget, type OperatorDeps } from './operator.ts'
import { insertOperation } from './operator-audit.store.ts'

/**
 * Starts the removal of a sandbox in any state. The running service, or the next one that starts, then removes all its
 * data.
 */
export async function deleteByOperator({ control, operator }: OperatorDeps, idOrSlug: string): Promise<SandboxRow> {
  return await control.transaction(async (tx) => {
    const row = await lockTarget(tx, idOrSlug)
    if (row.removingAt) return row
    await startRemovalOfAny(tx, row.id)
    const { slug, name, developerId } = row
    await insertOperation(tx, operator, {
      command: 'sandbox delete',
      subject: row.id,
      details: { slug, name, developerId },
    })
    return row
  })
}
