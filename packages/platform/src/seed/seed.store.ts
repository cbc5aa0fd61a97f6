import type { Building } from '@storey/building'
import { IFC_SOURCE, revisionSummaries } from '@storey/contract'
import { type Queryable, sql, type Tx } from '@storey/kit/database'
import type { Placement } from './graph-load.ts'

/** The tables that the seeding fills in bulk. */
export const GRAPH_TABLES = ['nodes', 'node_external_ids', 'storeys', 'spaces', 'elements', 'points'] as const

const FIRST_REVISION = 1

export async function isSeeded(db: Queryable): Promise<boolean> {
  return (await db.row(sql`select 1 as there from organizations limit 1`)) !== undefined
}

export async function insertOrganization(tx: Tx, { organization }: Building, placement: Placement): Promise<void> {
  const { organizationId, at } = placement
  await tx.run(
    sql`insert into organizations (id, name, created_at) values (${organizationId}, ${organization.name}, ${at})`,
  )
}

export async function insertSite(tx: Tx, { site }: Building, { idOf, organizationId, at }: Placement): Promise<void> {
  const { code, name, address, location } = site
  await tx.run(sql`
    insert into sites (id, organization_id, code, name, address, latitude, longitude, external_ids, created_at, updated_at)
    values (${idOf(site.key)}, ${organizationId}, ${code}, ${name}, ${address}, ${location.latitude},
      ${location.longitude}, ${externalIds(site.globalId)}, ${at}, ${at})`)
}

/**
 * Writes the building and its first revision. The change log has no entries for the nodes of this revision: its graph
 * is the base of all later changes.
 */
export async function insertBuilding(tx: Tx, { site, building }: Building, { idOf, at }: Placement): Promise<void> {
  const { code, name, buildingType, timezone, address, location, areaSqm } = building
  const id = idOf(building.key)
  await tx.run(sql`
    insert into buildings (id, site_id, code, name, building_type, timezone, address, latitude, longitude, area_sqm,
      external_ids, revision, created_at, updated_at)
    values (${id}, ${idOf(site.key)}, ${code}, ${name}, ${buildingType}, ${timezone}, ${address}, ${location.latitude},
      ${location.longitude}, ${areaSqm}, ${externalIds(building.globalId)}, ${FIRST_REVISION}, ${at}, ${at})`)
  await tx.run(sql`
    insert into revisions (building_id, revision, at, actor, summary)
    values (${id}, ${FIRST_REVISION}, ${at}, 'seed', ${revisionSummaries.format('seeded', {})})`)
}

/** Stores the spec, from which the building's model can be generated again. */
export async function insertModel(tx: Tx, { spec, building }: Building, { idOf }: Placement): Promise<void> {
  await tx.run(sql`
    insert into building_models (building_id, spec) values (${idOf(building.key)}, ${JSON.stringify(spec)})`)
}

function externalIds(globalId: string): string {
  return JSON.stringify([{ sourceSystem: IFC_SOURCE, externalId: globalId }])
}
