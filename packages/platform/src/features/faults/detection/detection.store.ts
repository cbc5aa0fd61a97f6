import type { FaultRuleKind } from '@storey/contract'
import { prepared, type Queryable, sql, type Tx } from '@storey/kit/database'
import { noteChange } from '../../../change-feed/index.ts'
import type { PointGroup, WatchedRule } from './watch-list.ts'

/** The version of a watch list. It changes with the revision of the graph and with the rules. */
export type Head = { buildingId: string; version: string }

const HEAD = sql`
  select b.id as "buildingId", b.revision || ' ' || coalesce(
    (select md5(string_agg(r::text, '' order by r.id)) from fault_rules r where r.building_id = b.id), '') as version
  from buildings b`

export async function readHeads(db: Queryable): Promise<Head[]> {
  return await db.rows<Head>(prepared(HEAD))
}

export async function readHead(db: Queryable, buildingId: string): Promise<Head | undefined> {
  return await db.row<Head>(sql`${HEAD} where b.id = ${buildingId}`)
}

type RuleRow = Omit<WatchedRule, 'createdAtMs'> & { createdAt: Date }

/** Includes disabled rules, since a disabled default rule still overrides less specific default rules. */
export async function readRules(db: Queryable, buildingId: string): Promise<WatchedRule[]> {
  const rows = await db.rows<RuleRow>(sql`
    select r.id, r.kind, r.severity, r.enabled, r.is_default as "isDefault", r.point_name as "pointName",
      r.quantity_kind as "quantityKind", r.unit, r.point_type as "pointType", r.element_type as "elementTypeSlug", r.point_id as "pointId", p.number as point,
      r.above, r.below, r.duration_seconds as "durationSeconds", r.created_at as "createdAt"
    from fault_rules r
    left join (points p join elements e on e.id = p.element_id) on p.id = r.point_id
      and p.building_id = r.building_id and p.name = coalesce(r.point_name, p.name)
      and p.quantity_kind = coalesce(r.quantity_kind, p.quantity_kind) and p.unit = coalesce(r.unit, p.unit)
      and p.point_type = coalesce(r.point_type, p.point_type)
      and e.element_type = coalesce(r.element_type, e.element_type)
    where r.building_id = ${buildingId} order by r.id`)
  return rows.map(({ createdAt, ...rule }) => ({ ...rule, createdAtMs: createdAt.getTime() }))
}

/**
 * All points, grouped by the fields that rules can have. A point name that no rule has counts as null. Otherwise there
 * would be a group for each name, and there can be as many names as points.
 */
export async function readGroups(db: Queryable, buildingId: string): Promise<PointGroup[]> {
  return await db.rows<PointGroup & Record<string, unknown>>(sql`
    select r.point_name as "pointName", p.quantity_kind as "quantityKind", p.unit, p.point_type as "pointType",
      e.element_type as "elementTypeSlug", array_agg(p.number) as points
    from points p join elements e on e.id = p.element_id
      left join (select distinct point_name from fault_rules where building_id = ${buildingId}) r on r.point_name = p.name
    where p.building_id = ${buildingId} group by 1, 2, 3, 4, 5`)
}

/** `value` is the value with which the fault began; null if it began without one. */
export type OpenFault = { id: string; ruleId: string | null; point: number; value: string | null }

export async function readOpenFaults(db: Queryable, buildingId: string): Promise<OpenFault[]> {
  return await db.rows<OpenFault>(sql`
    select id, rule_id as "ruleId", point, value from faults where building_id = ${buildingId} and state <> 'resolved'`)
}

export type LastValue = { point: number; at: Date; value: string }

export async function readLastValues(db: Queryable, points: readonly number[]): Promise<LastValue[]> {
  return await db.rows<LastValue>(sql`
    select l.point, l.at, l.value from unnest(${points}::integer[]) as p (number) join latest_values l on l.point = p.number`)
}

/** The numbers of points by their ids. Events of other processes have only ids. */
export async function readNumbers(db: Queryable, buildingId: string): Promise<Map<string, number>> {
  const rows = await db.rows<{ id: string; number: number }>(
    sql`select id, number from points where building_id = ${buildingId}`,
  )
  return new Map(rows.map(({ id, number }) => [id, number]))
}

export type WatchKey = { ruleId: string; point: number }

export async function resolveFaults(tx: Tx, buildingId: string, keys: readonly WatchKey[], at: Date): Promise<void> {
  if (keys.length === 0) return
  const resolved = await tx.run(sql`
    update faults f set state = 'resolved', resolved_at = ${at}
    from unnest(${keys.map(({ ruleId }) => ruleId)}::uuid[], ${keys.map(({ point }) => point)}::integer[])
      as ended (rule_id, point)
    where f.rule_id = ended.rule_id and f.point = ended.point and f.state <> 'resolved'`)
  if (resolved > 0) noteChange(tx, buildingId, 'faults')
}

/** Resolves faults whose rule no longer watches their point, because the rule or the point was deleted or changed. */
export async function resolveUnwatched(
  tx: Tx,
  buildingId: string,
  faults: readonly OpenFault[],
  at: Date,
): Promise<void> {
  noteChange(tx, buildingId, 'faults')
  await tx.run(sql`
    update faults set state = 'resolved', resolved_at = ${at}
    where id = any(${faults.map(({ id }) => id)}::uuid[]) and state <> 'resolved'`)
}

export type PointNames = {
  point: number
  pointId: string
  elementId: string
  name: string
  elementName: string
  quantityKind: string
  unit: string
}

export async function namePoints(tx: Tx, points: readonly number[]): Promise<Map<number, PointNames>> {
  const rows = await tx.rows<PointNames>(sql`
    select p.number as point, p.id as "pointId", p.element_id as "elementId", p.name, e.name as "elementName",
      p.quantity_kind as "quantityKind", p.unit
    from points p join elements e on e.id = p.element_id where p.number = any(${points}::integer[])`)
  return new Map(rows.map((row) => [row.point, row]))
}

export interface NewFault extends WatchKey {
  id: string
  alarmId: string
  kind: FaultRuleKind
  severity: string
  title: string
  pointId: string
  elementId: string
  value: string | null
}

/** Locks those of the rules that exist and are enabled, and returns their ids. */
export async function lockRules(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(sql`
    select id from fault_rules where id = any(${ids}::uuid[]) and enabled order by id for share`)
  return new Set(rows.map(({ id }) => id))
}

/** Inserts each fault whose rule has no active fault at the same point. Returns the ids of the inserted faults. */
export async function insertFaults(
  tx: Tx,
  buildingId: string,
  faults: readonly NewFault[],
  at: Date,
): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(sql`
    insert into faults (id, building_id, alarm_id, rule_id, kind, severity, title, state, point, point_id, element_id,
      value, detected_at)
    select f.id, ${buildingId}, f."alarmId", f."ruleId", f.kind, f.severity, f.title, 'open', f.point, f."pointId",
      f."elementId", f.value, ${at}
    from json_to_recordset(${JSON.stringify(faults)}::json) as f (id uuid, "alarmId" uuid, "ruleId" uuid, kind text,
      severity text, title text, point integer, "pointId" uuid, "elementId" uuid, value text)
    order by f."ruleId", f.point
    on conflict (rule_id, point) where state <> 'resolved' do nothing
    returning id`)
  if (rows.length > 0) noteChange(tx, buildingId, 'faults')
  return new Set(rows.map(({ id }) => id))
}
