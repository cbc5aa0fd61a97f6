import { sql, type Tx } from '@storey/kit/database'

const LOCK_SPACE = 7_305_032

/**
 * Takes a lock for changes at the identity provider, and holds it until the transaction ends. Another transaction that
 * takes a lock with the same name waits.
 */
export async function lockChanges(tx: Tx, name: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${name}))`)
}
