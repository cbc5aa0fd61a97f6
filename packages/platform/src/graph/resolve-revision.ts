import { parseInstant, problems } from '@storey/contract'
import type { Queryable } from '@storey/kit/database'
import {
  currentRevision,
  type RevisionAt,
  revisionAtInstant,
  revisionByNumber,
  revisionOfSnapshot,
} from './resolve-revision.store.ts'
import { isUuid } from './uuid.ts'

const DIGITS = /^\d{1,15}$/

/**
 * The revision that a text names: by its number, an instant, or the name of a snapshot. Without a text, it is the
 * current revision.
 */
export async function resolveRevision(
  db: Queryable,
  buildingId: string,
  text: string | undefined,
  parameter: string,
): Promise<RevisionAt> {
  const current = isUuid(buildingId) ? await currentRevision(db, buildingId) : undefined
  if (!current) throw problems.notFound('building')
  if (text === undefined) return current
  if (LIKE_A_DATE.test(text) && parseInstant(text) === undefined) {
    const detail = `${parameter} looks like a date: an instant must be an ISO 8601 date and time with an offset`
    throw problems.query(parameter, detail)
  }
  const found = await namedRevision(db, buildingId, text)
  if (!found) throw problems.notFound(whatOf(text))
  return found
}

async function namedRevision(db: Queryable, buildingId: string, text: string): Promise<RevisionAt | undefined> {
  if (DIGITS.test(text)) return revisionByNumber(db, buildingId, Number(text))
  const instant = parseInstant(text)
  if (instant !== undefined) return revisionAtInstant(db, buildingId, new Date(instant))
  return revisionOfSnapshot(db, buildingId, text)
}

function whatOf(text: string): string {
  if (DIGITS.test(text)) return `revision: ${text}`
  return parseInstant(text) === undefined ? `snapshot: ${text}` : `revision: the building was created after ${text}`
}

/** Matches a text that begins like an ISO 8601 date: a calendar, week or ordinal date, or a year with a month. */
const LIKE_A_DATE = /^\d{4}(-[\dW]|\d{4}(T|$)|\d{3}(T|$)|W\d)/i

/** Whether a name looks like the number of a revision or like an instant. A snapshot must not have such a name. */
export function isRevisionText(name: string): boolean {
  const text = name.trim()
  return !Number.isNaN(Number(text)) || parseInstant(text) !== undefined || LIKE_A_DATE.test(text)
}
