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

/**
 * Writes what an edit makes of a request. A moment that passed before is told first: whoever resolves a request too late
 * doesn't keep its breach from being heard of. An edit that changes nothing writes nothing, unless something was added
 * beside the request.
 */
export async function writeChange(
  turn: Turn,
  before: RequestRow,
  edit: (row: RequestRow) => RequestRow,
  added: readonly string[] = [],
): Promise<RequestRow> {
  const opened = passMoments(before, turn.at)
  const edited = passMoments(edit(opened.clock), turn.at)
  const row = { ...edited.clock, updatedAt: turn.at }
  const changed = [...changedFields(before, row), ...added]
  if (changed.length === 0) return before
  await updateRequest(turn.tx, row)
  if (changed.includes('title') || changed.includes('description')) await updateWords(turn.tx, row)
  for (const moment of new Set([...opened.passed, ...edited.passed])) turn.tell(moment, row)
  turn.tell('updated', row, changed)
  return row
}
