import type { AccountAction, AccountAuditQuery, AccountEvent } from '@storey/contract'
import { and, type Queryable, sql, type Tx } from '@storey/kit/database'

export interface NewAccountEvent {
  at: Date
  tenantId: string
  action: AccountAction
  actor: string
  accountId: string
  email: string
  rolesBefore: readonly string[] | null
  rolesAfter: readonly string[] | null
  sourceIp: string
  userAgent: string | null
}

export async function insertAccountEvent(tx: Tx, event: NewAccountEvent): Promise<void> {
  await tx.run(sql`insert into account_audit
    (at, tenant_id, action, actor, account_id, email, roles_before, roles_after, source_ip, user_agent)
    values (${event.at}, ${event.tenantId}, ${event.action}, ${event.actor}, ${event.accountId}, ${event.email},
      ${event.rolesBefore}::text[], ${event.rolesAfter}::text[], ${event.sourceIp}, ${event.userAgent})`)
}

type Row = Omit<AccountEvent, 'at'> & { at: Date }

/** The rows of a tenant, newest first. */
export async function listAccountEvents(
  db: Queryable,
  tenantId: string,
  { before }: Pick<AccountAuditQuery, 'before'>,
  limit: number,
): Promise<AccountEvent[]> {
  const conditions = [sql`tenant_id = ${tenantId}`, ...(before === undefined ? [] : [sql`id < ${before}`])]
  const rows = await db.rows<Row>(sql`select id, at, action, actor, account_id as "accountId", email,
      roles_before as "rolesBefore", roles_after as "rolesAfter", source_ip as "sourceIp"
    from account_audit where ${and(conditions)} order by id desc limit ${limit}`)
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}
