import type { Page, PointListQuery, PointRecord } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { findNode, type NodePage, pageOfNodes } from '../../graph/index.ts'

export type PointFilter = Pick<PointListQuery, 'elementId' | 'pointType'>

/** The stored state of a point is its record. */
export function listPoints(db: Queryable, buildingId: string, filter: PointFilter, page: Page): Promise<NodePage> {
  return pageOfNodes(db, { kind: 'point', buildingId, filters: matching(filter) }, page)
}

export async function findPoint(db: Queryable, buildingId: string, id: string): Promise<PointRecord | undefined> {
  return findNode(db, 'point', buildingId, id)
}

function matching({ elementId, pointType }: PointFilter): Sql[] {
  const conditions: Sql[] = []
  if (elementId !== undefined) conditions.push(sql`element_id = ${elementId}`)
  if (pointType !== undefined) conditions.push(sql`point_type = ${pointType}`)
  return conditions
}
