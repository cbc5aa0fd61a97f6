import { POINTS_PER_LIFT, POINTS_PER_SPACE, SQM_PER_LIFT } from '@storey/building'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { type Busy, notBusy } from './busy.store.ts'

/** A small sandbox is created within seconds, a large one can take minutes. */
export type SandboxSize = 'large' | 'small'

export interface ToProvision {
  id: string
  /** The id of the developer's organization. */
  owner: string
  /** The place of the sandbox among the waiting sandboxes of its organization and size, beginning with 1. */
  nth: number
}

/** Writing a point to the graph counts as this many days of its history, because it takes about as long. */
const DAYS_OF_GRAPH = 2
/**
 * A day of history of one point took 70 to 120 µs on a busy machine with two processors, so a small sandbox takes up to
 * 6 s there. The default sandbox has about 6,600 such days, and the largest one 3.5 million.
 */
const MAX_DAYS_OF_SMALL = 50_000
const POINTS = Object.fromEntries(Object.entries(POINTS_PER_SPACE).map(([density, { high }]) => [density, high]))

/**
 * Whether a sandbox has more than `MAX_DAYS_OF_SMALL` days of history, counted over all points. Most points belong to
 * rooms. Lifts have many points only if `areaSqm` is far above its default.
 */
const isLarge = (): Sql => sql`coalesce(
  ((building ->> 'storeys')::int * (building ->> 'spacesMax')::int
      * (${JSON.stringify(POINTS)}::jsonb ->> (building ->> 'equipmentDensity'))::numeric
    + (building ->> 'areaSqm')::numeric / ${SQM_PER_LIFT}::int * ${POINTS_PER_LIFT}::int)
    * (telemetry_days + ${DAYS_OF_GRAPH}::int) > ${MAX_DAYS_OF_SMALL}::int, false)`

/**
 * The next sandboxes of this size to create or reset, without those in `busy`. The first sandbox of each organization
 * comes before the second sandbox of any organization.
 */
export async function listToProvision(
  db: Queryable,
  busy: Busy,
  size: SandboxSize,
  limit: number,
): Promise<ToProvision[]> {
  return await db.rows<ToProvision & Record<string, unknown>>(sql`select id, organization_id as owner,
      row_number() over (partition by organization_id order by requested_at, id)::int as nth from sandboxes
    where status = 'provisioning' and removing_at is null and expired_at is null and ${notBusy(busy)}
      and ${isLarge()} = ${size === 'large'}
    order by nth, requested_at limit ${limit}`)
}
