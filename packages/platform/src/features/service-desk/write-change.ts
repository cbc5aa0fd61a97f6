import { type RequestRow, updateRequest, updateWords } from './requests.store.ts'
import { passMoments } from './sla.ts'
import type { Turn } from './turns.ts'

const TOLD = [
  ...(['title', 'description', 'category', 'priority', 'state', 'spaceId', 'storeyId', 'elementId'] as const),
  ...(['assignedUserId', 'assignedTeamId', 'workOrderIds', 'dueAt'] as const),
]

function changedFields(before: RequestRow, after: RequestRow): string[] {
  return TOLD.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
}

export interface Change {
  /** Beside the request something was added to it: it changed, though none of its fields did. */
  isAdded?: boolean
}

/**
 * Writes what an edit makes of a request. A moment that passed before is told before it: whoever resolves a request too
 * late doesn't keep its breach from being heard of. What the edit itself brings about is told after it. An edit that
 * changes nothing writes nothing, unless something was added beside the request.
 */
export async function writeChange(
  turn: Turn,
  before: RequestRow,
  edit: (row: RequestRow) => RequestRow,
  { isAdded = false }: Change = {},
): Promise<RequestRow> {
  const opened = passMoments(before, turn.slaAt)
  const edited = passMoments(edit(opened.clock), turn.slaAt)
  const row = { ...edited.clock, updatedAt: turn.at }
  const changed = changedFields(before, row)
  if (changed.length === 0 && !isAdded) return before
  await updateRequest(turn.tx, row)
  if (changed.includes('title') || changed.includes('description')) await updateWords(turn.tx, row)
  if (opened.passed) turn.tell(opened.passed, { ...opened.clock, updatedAt: turn.at })
  if (changed.length > 0) turn.tell('updated', row, changed)
  if (edited.passed) turn.tell(edited.passed, row)
  return row
}
