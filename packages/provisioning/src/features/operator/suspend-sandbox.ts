import { clearSuspended, type SandboxRow, setSuspended } from '../sandboxes/index.ts'
import { lockKept, type OperatorDeps } from './operator.ts'
import { insertOperation } from './operator-audit.store.ts'

export interface Changed {
  row: SandboxRow
  /** False if the sandbox was in the requested state already. */
  isChanged: boolean
}

/** Suspends a sandbox: its callers are refused, with the reason, until it is resumed. */
export async function suspendSandbox(
  { control, operator }: OperatorDeps,
  idOrSlug: string,
  reason: string | null,
): Promise<Changed> {
  return await control.transaction(async (tx) => {
    const row = await lockKept(tx, idOrSlug)
    const isChanged = await setSuspended(tx, row.id, reason)
    if (!isChanged) return { row, isChanged }
    await insertOperation(tx, operator, { command: 'sandbox suspend', subject: row.id, details: { reason } })
    return { row, isChanged }
  })
}

export async function resumeSandbox({ control, operator }: OperatorDeps, idOrSlug: string): Promise<Changed> {
  return await control.transaction(async (tx) => {
    const row = await lockKept(tx, idOrSlug)
    if (row.suspendedAt === null) return { row, isChanged: false }
    await clearSuspended(tx, row.id)
    await insertOperation(tx, operator, { command: 'sandbox resume', subject: row.id })
    return { row, isChanged: true }
  })
}
