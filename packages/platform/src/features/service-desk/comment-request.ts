import { type CommentRecord, checkQuota, type List, type NewComment, type Page } from '@storey/contract'
import type { Caller } from '../../caller.ts'
import { countComments, insertComment, listComments } from './comments.store.ts'
import type { Desk } from './desk.ts'
import { readRow } from './read-request.ts'
import type { DeskTransaction } from './transactions.ts'
import { writeChange } from './write-change.ts'

export async function addComment(desk: Desk, caller: Caller, id: string, { text }: NewComment): Promise<CommentRecord> {
  return desk.transaction(async (transaction) => {
    const before = await readRow(transaction.tx, caller, id)
    const comment = await writeComment(transaction, caller, before.id, text)
    await writeChange(transaction, before, (row) => row, { hasNewComment: true })
    return comment
  })
}

/** Writes a comment of the caller. Throws QUOTA_EXCEEDED if the request has the maximum number of comments. */
export async function writeComment(
  { tx, at }: DeskTransaction,
  { actor }: Caller,
  requestId: string,
  text: string,
): Promise<CommentRecord> {
  checkQuota('comments', await countComments(tx, requestId))
  return (await insertComment(tx, requestId, { text, author: actor, at }))!
}

export async function readComments({ db }: Desk, caller: Caller, id: string, page: Page): Promise<List<CommentRecord>> {
  return listComments(db, (await readRow(db, caller, id)).id, page)
}
