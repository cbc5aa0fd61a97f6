import { sql, type Tx } from '@storey/kit/database'

const LOCK_SPACE = 7_305_032

/**
 * Locks changes at the identity provider under this name until the transaction ends. Other transactions that lock the
 * same name wait.
 */
export async function lockChanges(tx: Tx, name: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${name}))`)
}
