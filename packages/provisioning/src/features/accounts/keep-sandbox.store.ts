import { sql, type Tx } from '@storey/kit/database'

/** Locks the row of a sandbox against changes. False if the sandbox is being removed, or does not exist. */
export async function lockSandbox(tx: Tx, id: string): Promise<boolean> {
  return (await tx.row(sql`select 1 from sandboxes where id = ${id} and removing_at is null for share`)) !== undefined
}
