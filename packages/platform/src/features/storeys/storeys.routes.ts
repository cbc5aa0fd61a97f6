import { LIMITS, StoreyList, StoreyListQuery, StoreyRecord } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { type GraphAccess, nodeRoutes } from '../../graph/index.ts'
import { findStorey, listStoreys } from './storeys.store.ts'

export function storeyRoutes(app: HttpApp, db: Database, graph: GraphAccess): void {
  nodeRoutes(app, db, graph, {
    kind: 'storey',
    path: 'storeys',
    record: StoreyRecord,
    list: StoreyList,
    query: StoreyListQuery,
    caps: LIMITS.page,
    order: 'ordered from the lowest up',
    listNodes: (_db, buildingId, _query, page) => listStoreys(db, buildingId, page),
    findNode: findStorey,
  })
}
