import type { Page, PointListQuery, PointRecord } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { findNode, type NodePage, onStorey, pageOfNodes } from '../../graph/index.ts'

export type PointFilter = Pick<
  PointListQuery,
  'storeyId' | 'spaceId' | 'elementId' | 'pointType' | 'quantityKind' | 'unit'
>

/** The stored state of a point has the fields of a `PointRecord`, so rows are returned unchanged. */
export function listPoints(db: Queryable, buildingId: string, filter: PointFilter, page: Page): Promise<NodePage> {
  return pageOfNodes(db, { kind: 'point', buildingId, filters: matching(filter) }, page)
}

export async function findPoint(db: Queryable, buildingId: string, id: string): Promise<PointRecord | undefined> {
  return findNode(db, 'point', buildingId, id)
}

function matching({ storeyId, spaceId, elementId, pointType, quantityKind, unit }: PointFilter): Sql[] {
  const conditions: Sql[] = []
  if (storeyId !== undefined) conditions.push(ofElements(onStorey(storeyId)))
  if (spaceId !== undefined) conditions.push(ofElements(sql`space_id = ${spaceId}`))
  if (elementId !== undefined) conditions.push(sql`element_id = ${elementId}`)
  if (pointType !== undefined) conditions.push(sql`point_type = ${pointType}`)
  if (quantityKind !== undefined) conditions.push(sql`quantity_kind = ${quantityKind}`)
  if (unit !== undefined) conditions.push(sql`unit = ${unit}`)
  return conditions
}

const ofElements = (where: Sql): Sql => sql`element_id = any(array(select e.id from elements e where ${where}))`
