import { type RequestRow, updateRequest, updateWords } from './requests.store.ts'
import { markDueAlert } from './sla.ts'
import type { Turn } from './turns.ts'

const PUBLISHED_FIELDS = [
  ...(['title', 'description', 'category', 'priority', 'state', 'spaceId', 'storeyId', 'elementId'] as const),
  ...(['assignedUserId', 'assignedTeamId', 'workOrderIds', 'dueAt'] as const),
]

function changedFields(before: RequestRow, after: RequestRow): string[] {
  return PUBLISHED_FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
}

export interface Change {
  /** Something was added to the request: it changed, though none of its fields did. */
  isAdded?: boolean
}

/**
 * Writes an edit of a request. An alert that was due before is published before it: resolving a request too late does not
 * suppress its breach. An alert that the edit causes is published after it. An edit that changes nothing writes nothing,
 * unless something was added to the request.
 */
export async function writeChange(
  turn: Turn,
  before: RequestRow,
  edit: (row: RequestRow) => RequestRow,
  { isAdded = false }: Change = {},
): Promise<RequestRow> {
  const opened = markDueAlert(before, turn.slaAt)
  const edited = markDueAlert(edit(opened.clock), turn.slaAt)
  const row = { ...edited.clock, updatedAt: turn.at }
  const changed = changedFields(before, row)
  if (changed.length === 0 && !isAdded) return before
  await updateRequest(turn.tx, row)
  if (changed.includes('title') || changed.includes('description')) await updateWords(turn.tx, row)
  if (opened.alert) turn.publish(opened.alert, { ...opened.clock, updatedAt: turn.at })
  if (changed.length > 0) turn.publish('updated', row, changed)
  if (edited.alert) turn.publish(edited.alert, row)
  return row
}
