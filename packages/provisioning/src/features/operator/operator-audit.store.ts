import { type Queryable, sql } from '@storey/kit/database'

/** What an operator command changed. */
export interface Operation {
  command: string
  /** The id of what was changed. */
  subject: string | null
  details?: Record<string, unknown>
}

export interface OperationRow extends Required<Operation> {
  id: number
  at: Date
  operator: string
}

/** Records an operation. If the recorded change runs in a transaction, pass that transaction as `db`. */
export async function insertOperation(
  db: Queryable,
  operator: string,
  { command, subject, details = {} }: Operation,
): Promise<void> {
  await db.run(sql`insert into operator_audit (operator, command, subject, details)
    values (${operator}, ${command}, ${subject}, ${JSON.stringify(details)})`)
}

/** Lists the operations, newest first. */
export async function listOperations(db: Queryable, limit: number): Promise<OperationRow[]> {
  return await db.rows<OperationRow & Record<string, unknown>>(sql`
    select id, at, operator, command, subject, details from operator_audit order by id desc limit ${limit}`)
}
