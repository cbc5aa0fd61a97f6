import { type Database, sql, type Tx } from '@storey/kit/database'

type UnsealedRow = { id: string; secret: string; previousSecret: string | null }

/** Kept for this transaction: of two processes that start, one seals them. */
export async function listUnsealed(tx: Tx): Promise<UnsealedRow[]> {
  return await tx.rows<UnsealedRow>(sql`
    select id, secret, previous_secret as "previousSecret" from webhooks where secret is not null for update`)
}

export async function writeSealed(
  tx: Tx,
  id: string,
  { secret, start, previous }: { secret: Buffer; start: string; previous: Buffer | null },
): Promise<void> {
  await tx.run(sql`
    update webhooks set sealed_secret = ${secret}, secret_start = ${start}, sealed_previous_secret = ${previous},
      secret = null, previous_secret = null
    where id = ${id}`)
}

/** Old versions of the rows would lie in the table's file for a while. It is small, and written anew in an instant. */
export async function forgetUnsealed(db: Database): Promise<void> {
  await db.run(sql`vacuum (full) webhooks`)
}
