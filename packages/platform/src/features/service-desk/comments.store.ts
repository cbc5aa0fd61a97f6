import { randomUUID } from 'node:crypto'
import type { CommentRecord, List, Page } from '@storey/contract'
import { type Queryable, sql, type Tx } from '@storey/kit/database'

export interface NewComment {
  text: string
  author: string
  at: Date
  /** Set if the same comment can be written twice, such as after a repeated event. The second comment is ignored. */
  id?: string
}

/** Returns undefined if a comment with this id exists already. */
export async function insertComment(
  tx: Tx,
  requestId: string,
  { text, author, at, id = randomUUID() }: NewComment,
): Promise<CommentRecord | undefined> {
  const written = await tx.run(sql`
    insert into service_request_comments (id, request_id, text, author, created_at)
    values (${id}, ${requestId}, ${text}, ${author}, ${at}) on conflict (id) do nothing`)
  return written === 0 ? undefined : { id, text, author, createdAt: at.toISOString() }
}

/** Call in a desk transaction, so that no other transaction adds a comment after the count. */
export async function countComments(tx: Tx, requestId: string): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`
    select count(*) as count from service_request_comments where request_id = ${requestId}`)
  return row!.count
}

type CommentRow = Omit<CommentRecord, 'createdAt'> & { createdAt: Date }

/** Returns a page of the comments of a request, oldest first. */
export async function listComments(db: Queryable, requestId: string, page: Page): Promise<List<CommentRecord>> {
  const [rows, count] = await Promise.all([
    db.rows<CommentRow>(sql`
      select id, text, author, created_at as "createdAt" from service_request_comments
      where request_id = ${requestId} order by created_at, id limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`
      select count(*) as total from service_request_comments where request_id = ${requestId}`),
  ])
  const data = rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
  return { data, total: count!.total, ...page }
}
