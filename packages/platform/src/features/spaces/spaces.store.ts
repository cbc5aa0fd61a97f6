import { type List, type Page, type SpaceListQuery, type SpaceRecord, spaceType } from '@storey/contract'
import { and, type Queryable, type Sql, sql } from '@storey/kit/database'
import { isNode, NODE_COLUMNS, type NodeRow, nodeFields } from '../../graph/nodes.store.ts'

export type SpaceFilter = Pick<SpaceListQuery, 'storeyId' | 'spaceTypeSlug' | 'status' | 'isLeasable'>

type SpaceRow = NodeRow & {
  storey_id: string
  name: string
  space_type: string
  area_sqm: number | null
  status: SpaceRecord['status']
  is_leasable: boolean
  capacity: number | null
  polygon: [number, number][] | null
}

type StoreyOfSpace = SpaceRecord['storey']

/**
 * A page of 1,000 of 7,500 spaces: 8 ms, of which the database takes 0.6. The storeys come beside the page and not
 * joined to its rows, where they would be sent a thousand times: 12 ms.
 */
export async function listSpaces(
  db: Queryable,
  buildingId: string,
  filter: SpaceFilter,
  page: Page,
): Promise<List<SpaceRecord>> {
  const where = matching(buildingId, filter)
  const [rows, storeys, count] = await Promise.all([
    db.rows<SpaceRow>(sql`${selectSpaces(where)} order by code limit ${page.limit} offset ${page.offset}`),
    db.rows<StoreyOfSpace>(sql`select id, code, name, index from storeys where building_id = ${buildingId}`),
    db.row<{ total: number }>(sql`select count(*) as total from spaces where ${where}`),
  ])
  const storeyOf = new Map(storeys.map((storey) => [storey.id, storey]))
  return { data: rows.map((row) => toRecord(row, storeyOf.get(row.storey_id)!)), total: count!.total, ...page }
}

export async function findSpace(db: Queryable, buildingId: string, id: string): Promise<SpaceRecord | undefined> {
  const row = await db.row<SpaceRow>(selectSpaces(isNode(buildingId, id)))
  if (!row) return undefined
  const storey = await db.row<StoreyOfSpace>(sql`select id, code, name, index from storeys where id = ${row.storey_id}`)
  return toRecord(row, storey!)
}

function matching(buildingId: string, { storeyId, spaceTypeSlug, status, isLeasable }: SpaceFilter): Sql {
  const conditions = [sql`building_id = ${buildingId}`]
  if (storeyId !== undefined) conditions.push(sql`storey_id = ${storeyId}`)
  if (spaceTypeSlug !== undefined) conditions.push(sql`space_type = ${spaceTypeSlug}`)
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (isLeasable !== undefined) conditions.push(sql`is_leasable = ${isLeasable}`)
  return and(conditions)
}

function selectSpaces(where: Sql): Sql {
  return sql`
    select ${NODE_COLUMNS}, storey_id, name, space_type, area_sqm, status, is_leasable, capacity, polygon
    from spaces where ${where}`
}

function toRecord(row: SpaceRow, storey: StoreyOfSpace): SpaceRecord {
  return {
    ...nodeFields(row),
    name: row.name,
    storey,
    spaceType: { slug: row.space_type, name: spaceType(row.space_type)?.name ?? row.space_type },
    areaSqm: row.area_sqm,
    status: row.status,
    isLeasable: row.is_leasable,
    capacity: row.capacity,
    polygon: row.polygon,
  }
}
