import {
  BuildingParams,
  NodeParams,
  NoQuery,
  pageOf,
  problems,
  StoreyList,
  StoreyListQuery,
  StoreyRecord,
} from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { listInBuilding } from '../../graph/nodes.store.ts'
import { findStorey, listStoreys } from './storeys.store.ts'

const config = { access: 'building.graph:read' }
const tags = ['Storeys']

export function storeyRoutes(app: HttpApp, db: Database): void {
  app.addSchema(StoreyRecord)
  app.get(
    '/api/v1/buildings/:buildingId/storeys',
    {
      config,
      schema: {
        tags,
        summary: 'List storeys, from the lowest up',
        params: BuildingParams,
        querystring: StoreyListQuery,
        response: { 200: StoreyList },
      },
    },
    async (request) => {
      const { buildingId } = request.params
      const page = pageOf(request.query)
      return listInBuilding(db, buildingId, () => listStoreys(db, buildingId, page))
    },
  )
  app.get(
    '/api/v1/buildings/:buildingId/storeys/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a storey',
        params: NodeParams,
        querystring: NoQuery,
        response: { 200: { $ref: 'Storey#' } },
      },
    },
    async (request) => {
      const storey = await findStorey(db, request.params.buildingId, request.params.id)
      if (!storey) throw problems.notFound('storey')
      return storey
    },
  )
}
