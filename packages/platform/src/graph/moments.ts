import { parseInstant, problems } from '@storey/contract'
import type { Queryable } from '@storey/kit/database'
import { type Moment, momentOfInstant, momentOfRevision, momentOfSnapshot, presentMoment } from './moments.store.ts'
import { isUuid } from './uuid.ts'

const DIGITS = /^\d{1,15}$/

/** The moment that a text names: a revision, an instant or a snapshot. Without a text, now. */
export async function findMoment(
  db: Queryable,
  buildingId: string,
  text: string | undefined,
  parameter: string,
): Promise<Moment> {
  const present = isUuid(buildingId) ? await presentMoment(db, buildingId) : undefined
  if (!present) throw problems.notFound('building')
  if (text === undefined) return present
  if (LIKE_A_DATE.test(text) && parseInstant(text) === undefined) {
    throw problems.query(parameter, `${parameter} must be an ISO 8601 date and time with an offset, to be an instant`)
  }
  const found = await namedMoment(db, buildingId, text)
  if (!found) throw problems.notFound(`${kindOf(text)}: ${text}`)
  return found
}

async function namedMoment(db: Queryable, buildingId: string, text: string): Promise<Moment | undefined> {
  if (DIGITS.test(text)) return momentOfRevision(db, buildingId, Number(text))
  const instant = parseInstant(text)
  if (instant !== undefined) return momentOfInstant(db, buildingId, new Date(instant))
  return momentOfSnapshot(db, buildingId, text)
}

function kindOf(text: string): string {
  if (DIGITS.test(text)) return 'revision'
  return parseInstant(text) === undefined ? 'snapshot' : 'moment: the building came to be later than this instant'
}

/** Includes ISO 8601 weeks, months and ordinal days: the name of a snapshot must not begin like one. */
const LIKE_A_DATE = /^\d{4}(-[\dW]|\d{4}(T|$)|\d{3}(T|$)|W\d)/i

/** The name of a snapshot must not read as a revision or an instant. */
export function readsAsMoment(name: string): boolean {
  const text = name.trim()
  return !Number.isNaN(Number(text)) || parseInstant(text) !== undefined || LIKE_A_DATE.test(text)
}
