import {
  type FaultQuery,
  type FaultRecord,
  type FaultSummary,
  type List,
  OPEN_REQUEST_STATES,
  type Page,
  requestNumber,
} from '@storey/contract'
import { and, type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'
import { noteChange } from '../../change-feed/index.ts'
import { isUuid } from '../../graph/index.ts'

/** The path parameters of a fault. */
export interface FaultPlace {
  buildingId: string
  faultId: string
}

type FaultTimes = { detectedAt: Date; acknowledgedAt: Date | null; resolvedAt: Date | null }
type RequestOfFault = Omit<NonNullable<FaultRecord['request']>, 'number'> & { number: number }
type FaultRow = Omit<FaultRecord, keyof FaultTimes | 'request'> & FaultTimes & { request: RequestOfFault | null }

const COLUMNS = sql`
  id, building_id as "buildingId", alarm_id as "alarmId", rule_id as "ruleId", kind, severity, title, state,
  point_id as "pointId", element_id as "elementId", value, detected_at as "detectedAt",
  acknowledged_at as "acknowledgedAt", acknowledged_by as "acknowledgedBy", resolved_at as "resolvedAt", (
    select json_build_object('id', r.id, 'number', r.number, 'state', r.state) from service_requests r
    where r.fault_id = faults.id and r.state = any(${OPEN_REQUEST_STATES}::text[]) order by r.number desc limit 1
  ) as request`

export async function listFaults(
  db: Queryable,
  buildingId: string,
  { state, active, severity, elementId, pointId }: FaultQuery,
  page: Page,
): Promise<List<FaultRecord>> {
  const conditions = [sql`building_id = ${buildingId}`]
  if (state !== undefined) conditions.push(sql`state = ${state}`)
  if (active !== undefined) conditions.push(active ? sql`state <> 'resolved'` : sql`state = 'resolved'`)
  if (severity !== undefined) conditions.push(sql`severity = ${severity}`)
  if (elementId !== undefined) conditions.push(sql`element_id = ${elementId}`)
  if (pointId !== undefined) conditions.push(sql`point_id = ${pointId}`)
  const where = and(conditions)
  const [rows, count] = await Promise.all([
    db.rows<FaultRow>(sql`
      select ${COLUMNS} from faults where ${where} order by detected_at desc, id
      limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from faults where ${where}`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

type Counts = FaultSummary['open']
const noCounts = (): Counts => ({ info: 0, minor: 0, major: 0, critical: 0 })

/** Counts the active faults. The condition on `state` is the one of the partial index `active_faults`. */
export async function countFaults(db: Queryable, buildingId: string): Promise<FaultSummary> {
  const rows = await db.rows<{ state: 'open' | 'acknowledged'; severity: keyof Counts; count: number }>(sql`
    select state, severity, count(*) as count from faults
    where building_id = ${buildingId} and state <> 'resolved' group by state, severity`)
  const summary: FaultSummary = { open: noCounts(), acknowledged: noCounts(), total: 0 }
  for (const { state, severity, count } of rows) {
    summary[state][severity] = count
    summary.total += count
  }
  return summary
}

export async function faultExists(db: Queryable, place: FaultPlace): Promise<boolean> {
  return (await db.row(sql`select from faults where ${isFault(place)}`)) !== undefined
}

export async function findFault(db: Queryable, place: FaultPlace): Promise<FaultRecord | undefined> {
  const row = await db.row<FaultRow>(sql`select ${COLUMNS} from faults where ${isFault(place)}`)
  return row && toRecord(row)
}

/**
 * Locks the faults that exist. Two calls with the same faults lock them in the same order, so that they never deadlock.
 */
export async function lockFaults(tx: Tx, buildingId: string, faultIds: readonly string[]): Promise<FaultRecord[]> {
  const rows = await tx.rows<FaultRow>(
    sql`select ${COLUMNS} from faults where ${areFaults(buildingId, faultIds)} order by id for update`,
  )
  return rows.map(toRecord)
}

/** Acknowledges those of the faults that are open, and returns them. */
export async function acknowledgeOpen(
  tx: Tx,
  buildingId: string,
  faultIds: readonly string[],
  actor: string,
  at: Date,
): Promise<FaultRecord[]> {
  const rows = await tx.rows<FaultRow>(sql`
    update faults set state = 'acknowledged', acknowledged_by = ${actor}, acknowledged_at = ${at}
    where ${areFaults(buildingId, faultIds)} and state = 'open' returning ${COLUMNS}`)
  if (rows.length > 0) noteChange(tx, buildingId, 'faults')
  return rows.map(toRecord)
}

/** Resolves the faults of a rule that is deleted or disabled. */
export async function resolveOfRule(tx: Tx, ruleId: string, at: Date): Promise<void> {
  await tx.run(sql`
    update faults set state = 'resolved', resolved_at = ${at} where rule_id = ${ruleId} and state <> 'resolved'`)
}

function isFault({ buildingId, faultId }: FaultPlace): Sql {
  if (!isUuid(buildingId) || !isUuid(faultId)) return sql`false`
  return sql`building_id = ${buildingId} and id = ${faultId}`
}

function areFaults(buildingId: string, faultIds: readonly string[]): Sql {
  if (!isUuid(buildingId)) return sql`false`
  return sql`building_id = ${buildingId} and id = any(${faultIds.filter(isUuid)}::uuid[])`
}

function toRecord({ detectedAt, acknowledgedAt, resolvedAt, request, ...row }: FaultRow): FaultRecord {
  return {
    ...row,
    detectedAt: detectedAt.toISOString(),
    acknowledgedAt: acknowledgedAt?.toISOString() ?? null,
    resolvedAt: resolvedAt?.toISOString() ?? null,
    request: request && { ...request, number: requestNumber(request.number) },
  }
}
