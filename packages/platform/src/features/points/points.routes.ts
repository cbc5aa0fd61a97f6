import {
  BuildingParams,
  LIMITS,
  NodeParams,
  NoQuery,
  PointList,
  PointListQuery,
  PointRecord,
  pageOf,
  problems,
} from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { listInBuilding } from '../../graph/nodes.store.ts'
import { findPoint, listPoints } from './points.store.ts'

const config = { access: 'building.graph:read' }
const tags = ['Points']
const caps = { default: LIMITS.page.default, max: LIMITS.graphPageMax }

export function pointRoutes(app: HttpApp, db: Database): void {
  app.addSchema(PointRecord)
  app.get(
    '/api/v1/buildings/:buildingId/points',
    {
      config,
      schema: {
        tags,
        summary: 'List points, in the order of their codes',
        description: `At most ${caps.max} a page. Filters combine.`,
        params: BuildingParams,
        querystring: PointListQuery,
        response: { 200: PointList },
      },
    },
    async (request) => {
      const { buildingId } = request.params
      const page = pageOf(request.query, caps)
      return listInBuilding(db, buildingId, () => listPoints(db, buildingId, request.query, page))
    },
  )
  app.get(
    '/api/v1/buildings/:buildingId/points/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a point',
        params: NodeParams,
        querystring: NoQuery,
        response: { 200: { $ref: 'Point#' } },
      },
    },
    async (request) => {
      const point = await findPoint(db, request.params.buildingId, request.params.id)
      if (!point) throw problems.notFound('point')
      return point
    },
  )
}
