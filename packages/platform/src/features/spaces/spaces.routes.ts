import { LIMITS, SpaceList, SpaceListQuery, SpaceRecord } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { type GraphAccess, nodeRoutes } from '../../graph/index.ts'
import { findSpace, listSpaces } from './spaces.store.ts'

export function spaceRoutes(app: HttpApp, db: Database, graph: GraphAccess, pageCap: number): void {
  nodeRoutes(app, db, graph, {
    kind: 'space',
    path: 'spaces',
    record: SpaceRecord,
    list: SpaceList,
    query: SpaceListQuery,
    caps: { default: LIMITS.page.default, max: pageCap },
    order: 'ordered by code',
    listNodes: listSpaces,
    findNode: findSpace,
  })
}
