import { randomUUID } from 'node:crypto'
import type { FaultRuleKind, FaultRuleRecord, List, Page } from '@storey/contract'
import { type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'
import { noteChange } from '../../change-feed/index.ts'
import { hasId, isUuid } from '../../graph/index.ts'

/** The path parameters of a rule. */
export interface RulePlace {
  buildingId: string
  ruleId: string
}

/** The fields that a client sets in a rule, except the kind. */
export type RuleColumns = Omit<FaultRuleRecord, 'id' | 'buildingId' | 'kind' | 'isDefault' | 'createdAt' | 'updatedAt'>

type RuleRow = Omit<FaultRuleRecord, 'createdAt' | 'updatedAt'> & { createdAt: Date; updatedAt: Date }

const COLUMNS = sql`
  id, building_id as "buildingId", kind, name, severity, enabled, is_default as "isDefault", point_id as "pointId",
  point_name as "pointName",   quantity_kind as "quantityKind", unit, point_type as "pointType", element_type as "elementTypeSlug", above, below,
  duration_seconds as "durationSeconds", created_at as "createdAt", updated_at as "updatedAt"`

export async function listRules(db: Queryable, buildingId: string, page: Page): Promise<List<FaultRuleRecord>> {
  const where = sql`building_id = ${buildingId}`
  const [rows, count] = await Promise.all([
    db.rows<RuleRow>(sql`
      select ${COLUMNS} from fault_rules where ${where} order by created_at, name collate "C", id
      limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from fault_rules where ${where}`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

export async function findRule(db: Queryable, place: RulePlace): Promise<FaultRuleRecord | undefined> {
  const row = await db.row<RuleRow>(sql`select ${COLUMNS} from fault_rules where ${isRule(place)}`)
  return row && toRecord(row)
}

export async function lockRule(tx: Tx, place: RulePlace): Promise<FaultRuleRecord | undefined> {
  const row = await tx.row<RuleRow>(sql`select ${COLUMNS} from fault_rules where ${isRule(place)} for update`)
  return row && toRecord(row)
}

/** Locks out concurrent creations, and counts the rules of a building. Undefined if there is no such building. */
export async function countRulesLocked(tx: Tx, buildingId: string): Promise<number | undefined> {
  if (!isUuid(buildingId)) return undefined
  const known = await tx.row(sql`select from buildings_with_default_rules where building_id = ${buildingId} for update`)
  if (!known) return undefined
  const row = await tx.row<{ count: number }>(
    sql`select count(*) as count from fault_rules where building_id = ${buildingId}`,
  )
  return row!.count
}

export async function pointExists(db: Queryable, buildingId: string, pointId: string): Promise<boolean> {
  return (await db.row(sql`select from points where ${hasId(buildingId, pointId)}`)) !== undefined
}

export async function insertRule(
  tx: Tx,
  made: { buildingId: string; kind: FaultRuleKind; columns: RuleColumns; at: Date },
): Promise<FaultRuleRecord> {
  const { buildingId, kind, columns, at } = made
  const { name, severity, enabled, pointId, pointName, quantityKind, unit, pointType, elementTypeSlug } = columns
  const row = await tx.row<RuleRow>(sql`
    insert into fault_rules (id, building_id, kind, name, severity, enabled, point_id, point_name, quantity_kind, unit,
      point_type, element_type, above, below, duration_seconds, created_at, updated_at)
    values (${randomUUID()}, ${buildingId}, ${kind}, ${name}, ${severity}, ${enabled}, ${pointId}, ${pointName},
      ${quantityKind}, ${unit}, ${pointType}, ${elementTypeSlug}, ${columns.above}, ${columns.below}, ${columns.durationSeconds}, ${at},
      ${at})
    returning ${COLUMNS}`)
  noteChange(tx, buildingId, 'faults')
  return toRecord(row!)
}

/** Updates a rule. Two updates within one millisecond get different times, because the time is the rule's version. */
export async function updateRule(tx: Tx, id: string, columns: RuleColumns, at: Date): Promise<FaultRuleRecord> {
  const { name, severity, enabled, pointId, pointName, quantityKind, unit, pointType, elementTypeSlug } = columns
  const row = await tx.row<RuleRow>(sql`
    update fault_rules set name = ${name}, severity = ${severity}, enabled = ${enabled}, point_id = ${pointId},
      point_name = ${pointName}, quantity_kind = ${quantityKind}, unit = ${unit}, point_type = ${pointType}, element_type = ${elementTypeSlug},
      above = ${columns.above}, below = ${columns.below}, duration_seconds = ${columns.durationSeconds},
      updated_at = greatest(${at}, updated_at + interval '1 millisecond')
    where id = ${id} returning ${COLUMNS}`)
  noteChange(tx, row!.buildingId, 'faults')
  return toRecord(row!)
}

export async function deleteRule(tx: Tx, { id, buildingId }: FaultRuleRecord): Promise<void> {
  await tx.run(sql`delete from fault_rules where id = ${id}`)
  noteChange(tx, buildingId, 'faults')
}

export type DefaultRule = { kind: FaultRuleKind } & Partial<RuleColumns> & Pick<RuleColumns, 'name' | 'severity'>

/** Creates the default rules of every building that never had them. */
export async function insertDefaultRules(db: Queryable, rules: readonly DefaultRule[], at: Date): Promise<void> {
  await db.run(sql`
    with given as (
      insert into buildings_with_default_rules (building_id) select id from buildings on conflict do nothing returning building_id
    )
    insert into fault_rules (id, building_id, kind, name, severity, is_default, point_name, quantity_kind, unit,
      point_type, element_type, above, below, duration_seconds, created_at, updated_at)
    select gen_random_uuid(), building_id, kind, name, severity, true, "pointName", "quantityKind", unit, "pointType",
      "elementTypeSlug", above, below, coalesce("durationSeconds", 0), ${at}::timestamptz, ${at}::timestamptz
    from given cross join json_to_recordset(${JSON.stringify(rules)}::json) as r (kind text, name text, severity text,
      "pointName" text, "quantityKind" text, unit text, "pointType" text, "elementTypeSlug" text, above double precision,
      below double precision, "durationSeconds" integer)`)
}

function isRule({ buildingId, ruleId }: RulePlace): Sql {
  if (!isUuid(buildingId) || !isUuid(ruleId)) return sql`false`
  return sql`building_id = ${buildingId} and id = ${ruleId}`
}

function toRecord(row: RuleRow): FaultRuleRecord {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
}
