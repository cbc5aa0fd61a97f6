import type { Page, StoreyRecord } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'
import { findNode, type NodePage, pageOfNodes } from '../../graph/index.ts'

/** Lists the storeys, lowest first. The column `state` of a storey already has the form of a `StoreyRecord`. */
export function listStoreys(db: Queryable, buildingId: string, page: Page): Promise<NodePage> {
  return pageOfNodes(db, { kind: 'storey', buildingId, order: sql`p.index, p.code` }, page)
}

export async function findStorey(db: Queryable, buildingId: string, id: string): Promise<StoreyRecord | undefined> {
  return findNode(db, 'storey', buildingId, id)
}
