import type { List, Page, PointListQuery, PointRecord } from '@storey/contract'
import { and, type Queryable, type Sql, sql } from '@storey/kit/database'
import { isNode, NODE_COLUMNS, type NodeRow, nodeFields } from '../../graph/nodes.store.ts'

export type PointFilter = Pick<PointListQuery, 'elementId' | 'pointType'>

type PointRow = NodeRow & {
  element_id: string
  point_type: PointRecord['pointType']
  name: string
  quantity_kind: string
  unit: string
}

export async function listPoints(
  db: Queryable,
  buildingId: string,
  filter: PointFilter,
  page: Page,
): Promise<List<PointRecord>> {
  const where = matching(buildingId, filter)
  const [rows, count] = await Promise.all([
    db.rows<PointRow>(sql`${selectPoints(where)} order by code limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from points where ${where}`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

export async function findPoint(db: Queryable, buildingId: string, id: string): Promise<PointRecord | undefined> {
  const row = await db.row<PointRow>(selectPoints(isNode(buildingId, id)))
  return row && toRecord(row)
}

function matching(buildingId: string, { elementId, pointType }: PointFilter): Sql {
  const conditions = [sql`building_id = ${buildingId}`]
  if (elementId !== undefined) conditions.push(sql`element_id = ${elementId}`)
  if (pointType !== undefined) conditions.push(sql`point_type = ${pointType}`)
  return and(conditions)
}

function selectPoints(where: Sql): Sql {
  return sql`select ${NODE_COLUMNS}, element_id, point_type, name, quantity_kind, unit from points where ${where}`
}

function toRecord(row: PointRow): PointRecord {
  return {
    ...nodeFields(row),
    elementId: row.element_id,
    pointType: row.point_type,
    name: row.name,
    quantityKind: row.quantity_kind,
    unit: row.unit,
  }
}
