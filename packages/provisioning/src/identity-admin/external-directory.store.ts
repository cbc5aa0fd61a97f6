import { sql, type Tx } from '@storey/kit/database'

const LOCK_SPACE = 7_305_032

/** Changes at the identity provider with the same name wait for each other until the transaction ends. */
export async function lockChanges(tx: Tx, name: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${name}))`)
}
