import type { List, Page, StoreyRecord } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { isNode, NODE_COLUMNS, type NodeRow, nodeFields } from '../../graph/nodes.store.ts'

type StoreyRow = NodeRow & {
  name: string
  index: number
  elevation_m: number | null
  area_sqm: number | null
  polygon: [number, number][] | null
}

/** From the lowest storey up. */
export async function listStoreys(db: Queryable, buildingId: string, page: Page): Promise<List<StoreyRecord>> {
  const where = sql`building_id = ${buildingId}`
  const [rows, count] = await Promise.all([
    db.rows<StoreyRow>(sql`${selectStoreys(where)} order by index, code limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from storeys where ${where}`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

export async function findStorey(db: Queryable, buildingId: string, id: string): Promise<StoreyRecord | undefined> {
  const row = await db.row<StoreyRow>(selectStoreys(isNode(buildingId, id)))
  return row && toRecord(row)
}

function selectStoreys(where: Sql): Sql {
  return sql`select ${NODE_COLUMNS}, name, index, elevation_m, area_sqm, polygon from storeys where ${where}`
}

function toRecord(row: StoreyRow): StoreyRecord {
  const { name, index, elevation_m, area_sqm, polygon } = row
  return { ...nodeFields(row), name, index, elevationM: elevation_m, areaSqm: area_sqm, polygon }
}
