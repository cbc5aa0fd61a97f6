import {
  BuildingList,
  BuildingListQuery,
  BuildingParams,
  BuildingRecord,
  NoQuery,
  pageOf,
  problems,
} from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { callerOf } from '../../caller.ts'
import { findBuilding, listBuildings } from './buildings.store.ts'

const config = { access: 'building.graph:read', revalidates: true }
const tags = ['Buildings']

export function buildingRoutes(app: HttpApp, db: Database): void {
  app.addSchema(BuildingRecord)
  app.get(
    '/api/v1/buildings',
    {
      config,
      schema: {
        tags,
        summary: 'List buildings',
        description: 'Returns a page of the buildings of the sandbox that the token may access.',
        querystring: BuildingListQuery,
        response: { 200: BuildingList },
      },
    },
    (request) => listBuildings(db, callerOf(request).buildingIds, pageOf(request.query)),
  )
  app.get(
    '/api/v1/buildings/:buildingId',
    {
      config,
      schema: {
        tags,
        summary: 'Read a building',
        description: 'Returns the building with its address, the id of its site and its current revision.',
        params: BuildingParams,
        querystring: NoQuery,
        response: { 200: { $ref: 'Building#' } },
      },
    },
    async (request) => {
      const building = await findBuilding(db, request.params.buildingId)
      if (!building) throw problems.notFound('building')
      return building
    },
  )
}
