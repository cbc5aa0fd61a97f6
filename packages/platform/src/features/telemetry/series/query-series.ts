import type { Readable } from 'node:stream'
import { type Aggregation, formatCount, LIMITS, problems, quantityKinds, type SeriesQuery } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { type Database, inTurn } from '@storey/kit/database'
import { buildingExists, isUuid } from '../../../graph/index.ts'
import { type BucketAggregator, type BucketValue, createAggregator } from './aggregate.ts'
import { type BucketGrid, createBucketGrid } from './bucket-grid.ts'
import { bucketsOf } from './buckets.ts'
import { findPoints, findPointsOfStorey, type NumberedPoint } from './many-series.store.ts'
import { readBuckets, withMedians } from './read-buckets.ts'
import { readMany } from './read-many.ts'
import type { Range } from './read-windows.ts'
import type { Series } from './series.ts'
import { SeriesTable } from './series-table.ts'
import { checkTimezone, instantOf } from './time-parameters.ts'
import { createTimeWeighted } from './time-weighted.ts'

const { points: MAX_POINTS, values: MAX_VALUES } = LIMITS.manySeries
/** The memory of a value: in the table, as a bucket while it is computed, and as a part of the text. */
const BYTES_PER_VALUE = 24

export interface QueryParts {
  db: Database
  clock: Clock
  /** Waits for memory. */
  admit(bytes: number): Promise<void>
  /** Throws when nobody waits for the result any more. */
  check(): void
}

/** Returns a table with the values of each interval of each point, as a stream of JSON text. */
export async function querySeries(parts: QueryParts, buildingId: string, query: SeriesQuery): Promise<Readable> {
  const { db, clock } = parts
  const { interval, timezone = 'UTC' } = query
  const range = { from: instantOf('from', query.from, problems.field), to: instantOf('to', query.to, problems.field) }
  if (range.from > range.to) throw problems.field('from', 'from must not be after to')
  checkTimezone(timezone, problems.field)
  const points = await pointsOf(db, buildingId, query)
  const columns = columnsOf(query)
  const width = points.length * columns.length
  const maxBuckets = Math.floor(MAX_VALUES / Math.max(1, width))
  const grid = await createBucketGrid(bucketsOf(interval, timezone), range, maxBuckets, parts.check)
  if (grid === undefined) {
    throw problems.field(
      'interval',
      `the response would have more than ${formatCount(MAX_VALUES)} values, ${width} in each interval: choose a longer interval, a shorter range or fewer points${columns.length > 1 ? ', or leave out extremes' : ''}`,
    )
  }
  await parts.admit(BYTES_PER_VALUE * width * grid.starts.length)
  const ids = points.map(({ id }) => id)
  const names = columns.map(({ name }) => name)
  const table = new SeriesTable(ids, names, grid)
  const work = { ...parts, columns, range, grid, now: clock.now().getTime() }
  await inTurn(db, () => fillTable(work, points, table))
  return table.stream()
}

interface Column {
  name: string
  aggregation: Aggregation
}

function columnsOf({ aggregation, extremes = false }: SeriesQuery): Column[] {
  const values: Column = { name: 'values', aggregation }
  if (!extremes) return [values]
  return [values, { name: 'minimums', aggregation: 'min' }, { name: 'maximums', aggregation: 'max' }]
}

interface Work extends QueryParts {
  columns: readonly Column[]
  range: Range
  grid: BucketGrid
  now: number
}

async function fillTable(work: Work, points: readonly NumberedPoint[], table: SeriesTable): Promise<void> {
  const { db, columns, range, grid, now, check } = work
  const places = new Map(points.map(({ number }, place) => [number, place]))
  const withBefore = columns.some(({ aggregation }) => startsBefore(aggregation))
  const take = (point: number, series: Series, before: number | undefined) => {
    for (const [i, { aggregation }] of columns.entries()) {
      const value = startsBefore(aggregation) ? before : undefined
      table.set(places.get(point)!, i, aggregate(work, aggregation, series, value))
    }
  }
  const left = await readMany(db, [...places.keys()], range, { withBefore, check }, take)
  for (const point of left) {
    check()
    const context = { source: { db, point, check }, range, now }
    for (const [i, { aggregation }] of columns.entries()) {
      const buckets = await readBuckets(context, aggregation, grid.bucketOf, grid.starts.length)
      table.set(places.get(point)!, i, await withMedians(context, buckets))
    }
  }
}

/** Whether an aggregation needs the last value before the range. */
const startsBefore = (aggregation: Aggregation) => aggregation === 'delta' || aggregation === 'timeWeightedAvg'

function aggregate(
  { range, grid, now }: Work,
  aggregation: Aggregation,
  series: Series,
  before: number | undefined,
): BucketValue[] {
  const { bucketOf } = grid
  const max = grid.starts.length
  const aggregator: BucketAggregator =
    aggregation === 'timeWeightedAvg'
      ? createTimeWeighted(bucketOf, { from: range.from, until: Math.min(range.to, now), before, max })
      : createAggregator(aggregation, bucketOf, { before, max })
  aggregator.add(series)
  return aggregator.end()
}

/** The points that the query names, in the same order, or the points of its storey, ordered by code. */
async function pointsOf(db: Database, buildingId: string, query: SeriesQuery): Promise<NumberedPoint[]> {
  const { pointIds, storeyId, quantityKind } = query
  if (!isUuid(buildingId) || !(await buildingExists(db, buildingId))) throw problems.notFound('building')
  if (pointIds !== undefined) {
    if (storeyId !== undefined) throw problems.field('storeyId', 'storeyId cannot be combined with pointIds')
    if (quantityKind !== undefined) throw problems.field('quantityKind', 'quantityKind can be used only with storeyId')
    return await pointsById(db, buildingId, pointIds)
  }
  if (storeyId === undefined) throw problems.field('pointIds', 'pointIds, or storeyId and quantityKind, is required')
  if (quantityKind === undefined) throw problems.field('quantityKind', 'quantityKind is required with storeyId')
  const kinds = quantityKinds.map(({ name }) => name)
  if (!kinds.includes(quantityKind)) {
    throw problems.invalidValue('quantityKind', 'quantityKind is not in the catalog', kinds)
  }
  const found = await findPointsOfStorey(db, buildingId, { storeyId, quantityKind, max: MAX_POINTS + 1 })
  if (found === undefined) throw problems.field('storeyId', 'storeyId is not a storey of this building')
  if (found.length > MAX_POINTS) {
    throw problems.field(
      'storeyId',
      `the storey has more than ${formatCount(MAX_POINTS)} points of this quantity kind: use pointIds`,
    )
  }
  return found
}

async function pointsById(db: Database, buildingId: string, ids: readonly string[]): Promise<NumberedPoint[]> {
  const found = new Map((await findPoints(db, buildingId, ids)).map((point) => [point.id, point]))
  const unknown = ids.filter((id) => !found.has(id.toLowerCase()))
  if (unknown.length > 0) throw problems.unknownPoints(unknown)
  const wanted = new Set(ids.map((id) => id.toLowerCase()))
  if (wanted.size < ids.length) throw problems.field('pointIds', 'pointIds contains a point twice')
  return [...wanted].map((id) => found.get(id)!)
}
