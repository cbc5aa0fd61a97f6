import { batches, copyOut, type Queryable, sql, type Tx } from '@storey/kit/database'
import type { Observations } from '../ingest/observations.ts'
import { decodeBatch } from '../storage/read-batch.ts'
import type { LastValue } from './last-values.ts'

export type PointFields = {
  number: number
  pointId: string
  elementId: string
  spaceId: string | null
  quantityKind: string
  unit: string
}

const POINT_FIELDS = sql`p.number, p.id as "pointId", p.element_id as "elementId", e.space_id as "spaceId",
  p.quantity_kind as "quantityKind", p.unit`

/** The points of a building, ordered by code, with the fields that no observation changes. */
export async function readPointFields(db: Queryable, buildingId: string): Promise<PointFields[]> {
  return await db.rows<PointFields>(sql`
    select ${POINT_FIELDS}
    from points p join elements e on e.id = p.element_id where p.building_id = ${buildingId} order by p.code`)
}

export interface KeptValue {
  kind: 'kept'
  point: number
  atMs: number
  value: string
  source: string | null
  /** The number of the folding run that wrote the value. */
  run: number
}

/** What `readNewValues` yields. The revision of the building comes first. */
export type NewValue =
  | { kind: 'revision'; revision: number }
  | KeptValue
  | { kind: 'waiting'; observations: Observations }

export interface Seen {
  /** A UUID. */
  buildingId: string
  revision: number
  run: number
}

/**
 * Reads the revision of a building. If it is still the one in `Seen`, also reads the last values of the whole tenant
 * that were written by folding runs after the one in `Seen`, and then the batches that wait to be folded. The oldest
 * batch comes first, since later ones override earlier ones. A single statement reads all of this, so that it sees each
 * observation once, even one that is folded meanwhile. One batch is in memory at a time.
 */
export async function* readNewValues(tx: Tx, { buildingId, revision, run }: Seen): AsyncGenerator<NewValue> {
  const isSame = `(select revision from buildings where id = '${buildingId}') = ${revision}`
  // The number of a run is taken before its transaction commits. So if no later number was taken, nothing was folded
  // since, and the table is not read.
  const isLater = `(select case when is_called then last_value else 0 end from folding_runs) > ${run}`
  const rows = copyOut(
    tx,
    `select part, number, run, "atMs", value, source, data from (
      select 0 as part, 0::numeric as place, revision::bigint as number, null::bigint as run, null::bigint as "atMs",
        null as value, null as source, null::bytea as data
      from buildings where id = '${buildingId}'
      union all
      select 1, 0, point, run, (extract(epoch from at) * 1000)::bigint, value, source, null from latest_values
      where run > ${run} and ${isLater} and ${isSame}
      union all
      select 2, (arrived::text)::numeric * 1e19 + id, null, null, null, null, null, data from observation_batches
      where ${isSame}
    ) as parts order by part, place`,
  )
  for await (const [part, number, run, atMs, value, source, data] of rows) {
    const kind = part!.readInt32BE()
    if (kind === 0) yield { kind: 'revision', revision: integer(number) }
    else if (kind === 2) for (const observations of decodeBatch(data!)) yield { kind: 'waiting', observations }
    else
      yield {
        kind: 'kept',
        ...{ point: integer(number), atMs: integer(atMs), value: value!.toString(), run: integer(run) },
        source: source?.toString() ?? null,
      }
  }
}

/** The batches that wait to be folded, oldest first. One of them is in memory at a time. */
export async function* readWaiting(tx: Tx): AsyncGenerator<Observations> {
  const rows = copyOut(tx, 'select data from observation_batches order by (arrived::text)::numeric, id')
  for await (const [data] of rows) yield* decodeBatch(data!)
}

/** The number of points that are read together. Values have up to 1,000 characters. */
const POINTS_AT_A_TIME = 2_000

export type PointWithValue = PointFields & { kept: LastValue | undefined }

/** The points of a building with their folded last values, ordered by code, POINTS_AT_A_TIME in each array. */
export async function* pointsWithValues(tx: Tx, buildingId: string): AsyncGenerator<PointWithValue[]> {
  type Row = PointFields & { atMs: number | null; value: string; source: string | null }
  const statement = sql`
    select ${POINT_FIELDS}, (extract(epoch from l.at) * 1000)::bigint as "atMs", l.value, l.source
    from points p join elements e on e.id = p.element_id left join latest_values l on l.point = p.number
    where p.building_id = ${buildingId} order by p.code`
  for await (const rows of batches<Row>(tx, statement.toQuery(), POINTS_AT_A_TIME)) {
    yield rows.map(({ atMs, value, source, ...point }) => ({
      ...point,
      kept: atMs === null ? undefined : { atMs, value, source },
    }))
  }
}

const integer = (field: Buffer | null | undefined): number => Number(field!.readBigInt64BE())
