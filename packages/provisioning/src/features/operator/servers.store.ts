import { sql, type Tx } from '@storey/kit/database'
import { DATABASE_MISSING } from '../sandboxes/index.ts'

/** False when there is no such server. */
export async function setDraining(tx: Tx, id: string, isDraining: boolean): Promise<boolean> {
  return (await tx.run(sql`update database_servers set is_draining = ${isDraining} where id = ${id}`)) > 0
}

/**
 * Marks the sandboxes of a server as failed, because their databases are lost, and returns their ids. Sandboxes that
 * are being provisioned get another server instead.
 */
export async function failSandboxesOf(tx: Tx, id: string): Promise<string[]> {
  await tx.run(sql`update sandboxes set moving_to = null, switching_at = null where moving_to = ${id}`)
  await tx.run(sql`update sandboxes set server_id = null where server_id = ${id} and status = 'provisioning'`)
  const rows = await tx.rows<{ id: string }>(sql`update sandboxes set server_id = null,
      failure_reason = case when status = 'ready' then ${DATABASE_MISSING} else failure_reason end, status = 'failed',
      migration_target = null, migration_attempts = 0, migration_failure = null, migration_next_at = null,
      due_at = null, running_since = null, moving_to = null, switching_at = null
    where server_id = ${id} returning id`)
  return rows.map((row) => row.id)
}

export async function deleteServer(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from leftovers where server_id = ${id}`)
  await tx.run(sql`delete from database_servers where id = ${id}`)
}
