import { canonicalEmail } from '@storey/contract'
import { sql, type Tx } from '@storey/kit/database'

export interface DeveloperRow {
  id: string
  organizationId: string
  email: string | null
  disabledAt: Date | null
}

/** Reads the row of a developer by email address or id, and locks the row until the end of the transaction. */
export async function lockDeveloperByName(tx: Tx, emailOrId: string): Promise<DeveloperRow | undefined> {
  return await tx.row<DeveloperRow & Record<string, unknown>>(sql`
    select id, organization_id as "organizationId", email, disabled_at as "disabledAt" from developers
    where email = ${canonicalEmail(emailOrId)} or id = ${emailOrId} for update`)
}

/**
 * Disabling revokes the tokens that were issued until now, by the clock of the database server or by that of this
 * machine, whichever is ahead.
 */
export async function setDeveloperDisabled(tx: Tx, id: string, isDisabled: boolean): Promise<void> {
  const changes = isDisabled
    ? sql`disabled_at = coalesce(disabled_at, now()), tokens_revoked_at = greatest(now(), ${new Date()})`
    : sql`disabled_at = null`
  await tx.run(sql`update developers set ${changes} where id = ${id}`)
}
