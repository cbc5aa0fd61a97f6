import { type CommentRecord, checkQuota, type List, type NewComment, type Page } from '@storey/contract'
import type { Caller } from '../../caller.ts'
import { countComments, insertComment, listComments } from './comments.store.ts'
import type { Desk } from './desk.ts'
import { readRow } from './read-request.ts'
import { writeChange } from './write-change.ts'

export async function addComment(desk: Desk, caller: Caller, id: string, { text }: NewComment): Promise<CommentRecord> {
  return desk.transaction(async (transaction) => {
    const before = await readRow(transaction.tx, caller, id)
    checkQuota('comments', await countComments(transaction.tx, before.id))
    const comment = await insertComment(transaction.tx, before.id, { text, author: caller.actor, at: transaction.at })
    await writeChange(transaction, before, (row) => row, { hasNewComment: true })
    return comment!
  })
}

export async function readComments({ db }: Desk, caller: Caller, id: string, page: Page): Promise<List<CommentRecord>> {
  return listComments(db, (await readRow(db, caller, id)).id, page)
}
