import { type Queryable, sql, type Tx } from '@storey/kit/database'
import { noteChange } from '../../change-feed/index.ts'
import { REQUEST_COLUMNS, type RequestRow } from './requests.store.ts'
import { alertAt } from './sla.ts'

export async function readNextAlert(db: Queryable): Promise<Date | null> {
  const row = await db.row<{ at: Date | null }>(sql`select min(alert_at) as at from service_requests`)
  return row!.at
}

/**
 * Requests whose next alert (an SLA warning or breach) is due, in the order of their alerts. Call in a desk
 * transaction, so that no other process publishes the same alerts.
 */
export async function readAlerts(tx: Tx, now: Date, max: number): Promise<RequestRow[]> {
  return tx.rows<RequestRow>(sql`
    select ${REQUEST_COLUMNS} from service_requests r where r.alert_at <= ${now} order by r.alert_at limit ${max}`)
}

export async function writeAlerts(tx: Tx, rows: readonly RequestRow[]): Promise<void> {
  await tx.run(sql`
    update service_requests r set warned_for = t.warned_for, breached_for = t.breached_for, alert_at = t.alert_at,
      updated_at = t.updated_at
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ warnedFor }) => warnedFor)}::timestamptz[],
      ${rows.map(({ breachedFor }) => breachedFor)}::timestamptz[], ${rows.map((row) => alertAt(row))}::timestamptz[],
      ${rows.map(({ updatedAt }) => updatedAt)}::timestamptz[])
      as t (id, warned_for, breached_for, alert_at, updated_at)
    where r.id = t.id`)
  for (const { buildingId } of rows) noteChange(tx, buildingId, 'requests')
}
