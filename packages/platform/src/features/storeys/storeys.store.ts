import type { Page, StoreyRecord } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'
import { type NodePage, pageOfNodes } from '../../graph/node-lists.store.ts'
import { findNode } from '../../graph/nodes.store.ts'

/** From the lowest storey up. A storey by itself is its record. */
export function listStoreys(db: Queryable, buildingId: string, page: Page): Promise<NodePage> {
  return pageOfNodes(db, { kind: 'storey', buildingId, order: sql`p.index, p.code` }, page)
}

export async function findStorey(db: Queryable, buildingId: string, id: string): Promise<StoreyRecord | undefined> {
  return findNode(db, 'storey', buildingId, id)
}
