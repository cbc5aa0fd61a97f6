import { LIMITS, PointList, PointListQuery, PointRecord } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { type GraphAccess, nodeRoutes } from '../../graph/index.ts'
import { findPoint, listPoints } from './points.store.ts'

export function pointRoutes(app: HttpApp, db: Database, graph: GraphAccess): void {
  nodeRoutes(app, db, graph, {
    kind: 'point',
    path: 'points',
    record: PointRecord,
    list: PointList,
    query: PointListQuery,
    caps: { default: LIMITS.page.default, max: LIMITS.graphPageMax },
    order: 'ordered by code',
    listNodes: listPoints,
    findNode: findPoint,
  })
}
