import type { BuildingRecord, List, Page } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { isUuid, type NodeRow, nodeFields } from '../../graph/index.ts'

type BuildingRow = NodeRow & {
  name: string
  building_type: string
  site_id: string
  organization_id: string
  timezone: string
  address: string | null
  latitude: number | null
  longitude: number | null
  revision: number
}

/** A page of the buildings with these ids, or of all buildings if `ids` is null. */
export async function listBuildings(
  db: Queryable,
  ids: readonly string[] | null,
  page: Page,
): Promise<List<BuildingRecord>> {
  const wanted = ids === null ? sql`true` : sql`b.id = any(${ids.filter(isUuid)}::uuid[])`
  const [rows, count] = await Promise.all([
    db.rows<BuildingRow>(sql`${selectBuildings(wanted)} limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from buildings b where ${wanted}`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

export async function findBuilding(db: Queryable, id: string): Promise<BuildingRecord | undefined> {
  if (!isUuid(id)) return undefined
  const row = await db.row<BuildingRow>(selectBuildings(sql`b.id = ${id}`))
  return row && toRecord(row)
}

function selectBuildings(where: Sql): Sql {
  return sql`
    select b.id, b.code, b.external_ids, b.created_at, b.updated_at, b.name, b.building_type, b.site_id,
      s.organization_id, b.timezone, b.address, b.latitude, b.longitude, b.revision
    from buildings b join sites s on s.id = b.site_id
    where ${where} order by b.code, b.id`
}

function toRecord(row: BuildingRow): BuildingRecord {
  const { latitude, longitude } = row
  return {
    ...nodeFields(row),
    name: row.name,
    buildingType: row.building_type,
    siteId: row.site_id,
    organizationId: row.organization_id,
    timezone: row.timezone,
    address: row.address,
    location: latitude === null || longitude === null ? null : { latitude, longitude },
    revision: row.revision,
  }
}
