import {
  BuildingParams,
  LIMITS,
  NodeParams,
  NoQuery,
  pageOf,
  problems,
  SpaceList,
  SpaceListQuery,
  SpaceRecord,
} from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { listInBuilding } from '../../graph/nodes.store.ts'
import { findSpace, listSpaces } from './spaces.store.ts'

const config = { access: 'building.graph:read' }
const tags = ['Spaces']

export function spaceRoutes(app: HttpApp, db: Database, pageCap: number): void {
  const caps = { default: LIMITS.page.default, max: pageCap }
  app.addSchema(SpaceRecord)
  app.get(
    '/api/v1/buildings/:buildingId/spaces',
    {
      config,
      schema: {
        tags,
        summary: 'List spaces, in the order of their codes',
        description: `At most ${pageCap} a page. Filters combine.`,
        params: BuildingParams,
        querystring: SpaceListQuery,
        response: { 200: SpaceList },
      },
    },
    async (request) => {
      const { buildingId } = request.params
      const page = pageOf(request.query, caps)
      return listInBuilding(db, buildingId, () => listSpaces(db, buildingId, request.query, page))
    },
  )
  app.get(
    '/api/v1/buildings/:buildingId/spaces/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a space',
        params: NodeParams,
        querystring: NoQuery,
        response: { 200: { $ref: 'Space#' } },
      },
    },
    async (request) => {
      const space = await findSpace(db, request.params.buildingId, request.params.id)
      if (!space) throw problems.notFound('space')
      return space
    },
  )
}
