import { type ObservationQuery, type Problem, parseInstant } from '@storey/contract'
import { isTimezone } from './buckets.ts'

/** Creates the problem of a parameter or field. */
export type Refuse = (name: string, detail: string) => Problem

/**
 * How observations are aggregated. The schemas of these parameters are in `contract/src/telemetry.ts`. A query has
 * both `aggregation` and `interval` or neither: `read-observations.ts` refuses any other query.
 */
export type Grouping = Required<Pick<ObservationQuery, 'aggregation' | 'interval' | 'timezone'>>

export function instantOf(name: string, text: string, refuse: Refuse): number {
  const instant = parseInstant(text)
  if (instant === undefined) throw refuse(name, `${name} must be an ISO 8601 date and time with an offset`)
  return instant
}

export function checkTimezone(timezone: string, refuse: Refuse): void {
  if (!isTimezone(timezone)) throw refuse('timezone', 'timezone must be an IANA name such as Europe/Berlin')
}
