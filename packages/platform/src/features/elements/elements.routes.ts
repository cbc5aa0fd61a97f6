import { ElementList, ElementListQuery, ElementRecord, LIMITS } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { type GraphAccess, nodeRoutes } from '../../graph/index.ts'
import { findElement, listElements } from './elements.store.ts'

export function elementRoutes(app: HttpApp, db: Database, graph: GraphAccess): void {
  nodeRoutes(app, db, graph, {
    kind: 'element',
    path: 'elements',
    record: ElementRecord,
    list: ElementList,
    query: ElementListQuery,
    caps: { default: LIMITS.page.default, max: LIMITS.graphPageMax },
    order: 'ordered by code',
    listNodes: listElements,
    findNode: findElement,
  })
}
