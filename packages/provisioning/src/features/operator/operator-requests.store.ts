import { type Queryable, sql } from '@storey/kit/database'

/** What an operator command requests from the running service. */
export type OperatorRequest = { kind: 'stop_stack'; sandboxId: string } | { kind: 'list_stacks' }

export interface OpenRequest {
  id: number
  kind: OperatorRequest['kind']
  sandboxId: string | null
}

export async function insertRequest(db: Queryable, request: OperatorRequest): Promise<number> {
  const sandboxId = request.kind === 'stop_stack' ? request.sandboxId : null
  const row = await db.row<{ id: number }>(sql`insert into operator_requests (kind, sandbox_id)
    values (${request.kind}, ${sandboxId}) returning id`)
  return row!.id
}

/** The answer of the service; undefined: there is none yet. */
export async function findAnswer(db: Queryable, id: number): Promise<unknown> {
  const row = await db.row<{ answer: unknown }>(sql`select answer from operator_requests where id = ${id}`)
  return row?.answer ?? undefined
}

export async function deleteRequest(db: Queryable, id: number): Promise<void> {
  await db.run(sql`delete from operator_requests where id = ${id}`)
}

export async function setAnswer(db: Queryable, id: number, answer: unknown): Promise<void> {
  await db.run(sql`update operator_requests set answer = ${JSON.stringify(answer)} where id = ${id}`)
}

/** Deletes the requests of commands that were killed. Other commands delete their requests themselves. */
export async function deleteOldRequests(db: Queryable): Promise<void> {
  await db.run(sql`delete from operator_requests where requested_at < now() - interval '1 hour'`)
}
