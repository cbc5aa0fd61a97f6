import {
  BuildingParams,
  ElementList,
  ElementListQuery,
  ElementRecord,
  LIMITS,
  NodeParams,
  NoQuery,
  pageOf,
  problems,
} from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { listInBuilding } from '../../graph/nodes.store.ts'
import { findElement, listElements } from './elements.store.ts'

const config = { access: 'building.graph:read' }
const tags = ['Elements']
const caps = { default: LIMITS.page.default, max: LIMITS.graphPageMax }

export function elementRoutes(app: HttpApp, db: Database): void {
  app.addSchema(ElementRecord)
  app.get(
    '/api/v1/buildings/:buildingId/elements',
    {
      config,
      schema: {
        tags,
        summary: 'List elements, in the order of their codes',
        description: `At most ${caps.max} a page. Filters combine; storeyId also finds what stands in the storey's spaces.`,
        params: BuildingParams,
        querystring: ElementListQuery,
        response: { 200: ElementList },
      },
    },
    async (request) => {
      const { buildingId } = request.params
      const page = pageOf(request.query, caps)
      return listInBuilding(db, buildingId, () => listElements(db, buildingId, request.query, page))
    },
  )
  app.get(
    '/api/v1/buildings/:buildingId/elements/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read an element',
        params: NodeParams,
        querystring: NoQuery,
        response: { 200: { $ref: 'Element#' } },
      },
    },
    async (request) => {
      const element = await findElement(db, request.params.buildingId, request.params.id)
      if (!element) throw problems.notFound('element')
      return element
    },
  )
}
