import { type RequestRow, updateRequest, updateWords } from './requests.store.ts'
import { markDueAlert } from './sla.ts'
import type { DeskTransaction } from './transactions.ts'

const PUBLISHED_FIELDS = [
  ...(['title', 'description', 'category', 'priority', 'state', 'spaceId', 'storeyId', 'elementId'] as const),
  ...(['assignedUserId', 'assignedTeamId', 'workOrderIds', 'dueAt'] as const),
]

function changedFields(before: RequestRow, after: RequestRow): string[] {
  return PUBLISHED_FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
}

export interface Change {
  /** True if a comment was added: then the request has changed, even if none of its fields has. */
  hasNewComment?: boolean
}

/**
 * Writes an edit of a request. An alert (a warning or a breach) that was due before the edit is published before the
 * event of the edit, so that resolving a request too late does not suppress its breach. An alert that the edit causes
 * is published after the event of the edit. An edit without changes writes nothing, unless a comment was added.
 */
export async function writeChange(
  transaction: DeskTransaction,
  before: RequestRow,
  edit: (row: RequestRow) => RequestRow,
  { hasNewComment = false }: Change = {},
): Promise<RequestRow> {
  const opened = markDueAlert(before, transaction.slaAt)
  const edited = markDueAlert(edit(opened.clock), transaction.slaAt)
  const row = { ...edited.clock, updatedAt: transaction.at }
  const changed = changedFields(before, row)
  if (changed.length === 0 && !hasNewComment) return before
  await updateRequest(transaction.tx, row)
  if (changed.includes('title') || changed.includes('description')) await updateWords(transaction.tx, row)
  if (opened.alert) transaction.publish(opened.alert, { ...opened.clock, updatedAt: transaction.at })
  if (changed.length > 0) transaction.publish('updated', row, changed)
  if (edited.alert) transaction.publish(edited.alert, row)
  return row
}
