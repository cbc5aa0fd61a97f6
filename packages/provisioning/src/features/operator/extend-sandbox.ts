import { problems } from '@storey/contract'
import { serverTime } from '@storey/kit/database'
import { moveExpiry, type SandboxRow } from '../sandboxes/index.ts'
import { lockKept, type OperatorDeps } from './operator.ts'
import { insertOperation } from './operator-audit.store.ts'

/** Days to add, or the new expiry. */
export type Extension = { days: number } | { until: Date }

const DAY_MS = 86_400_000

/**
 * Moves the expiry to a later time. Unlike an extension by the owner, this uses up none of the sandbox's extensions.
 */
export async function extendByOperator(
  { control, operator }: OperatorDeps,
  idOrSlug: string,
  extension: Extension,
): Promise<{ row: SandboxRow; expiresAt: Date; isChanged: boolean }> {
  const now = await serverTime(control)
  return await control.transaction(async (tx) => {
    const row = await lockKept(tx, idOrSlug)
    if (row.expiredAt) throw problems.conflict('status', `The sandbox ${row.slug} has expired: use sandbox restore`)
    const expiresAt =
      'until' in extension ? extension.until : new Date(row.expiresAt.getTime() + extension.days * DAY_MS)
    if (expiresAt.getTime() === row.expiresAt.getTime()) return { row, expiresAt, isChanged: false }
    if (expiresAt < row.expiresAt || expiresAt <= now)
      throw problems.conflict(
        'until',
        `The sandbox ${row.slug} expires at ${row.expiresAt.toISOString()}: the new expiry must be later, and in the future`,
      )
    await moveExpiry(tx, row.id, expiresAt)
    const details = { from: row.expiresAt, to: expiresAt }
    await insertOperation(tx, operator, { command: 'sandbox extend', subject: row.id, details })
    return { row, expiresAt, isChanged: true }
  })
}
