import { sql, type Tx } from '@storey/kit/database'

type UnsealedRow = { id: string; secret: string; previousSecret: string | null }

/**
 * The webhooks whose secrets earlier versions stored in plain text. Their rows are locked, so that only one of several
 * starting processes seals (encrypts) the secrets.
 */
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

/**
 * Removes the unsealed secrets from the table's file, where old row versions would stay for a while. `alter column …
 * type … using` rewrites the table, which is small, with the current rows only. A vacuum would keep row versions that
 * another transaction might still see.
 */
export async function forgetUnsealed(tx: Tx): Promise<void> {
  await tx.run(sql`
    alter table webhooks alter column secret type text using null::text,
      alter column previous_secret type text using null::text`)
}
