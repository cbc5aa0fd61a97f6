import {
  BuildingParams,
  DataLayer,
  DataLayerList,
  DataLayerListQuery,
  DataLayerPatch,
  LayerParams,
  NewDataLayer,
  NoQuery,
  pageOf,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { BODIES, BY_UPDATED_AT, type HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import { listInBuilding } from '../../graph/index.ts'
import { changeLayer, createLayer, readLayer, removeLayer } from './change-layer.ts'
import { listLayers } from './layers.store.ts'
import { createRoomIdentifiers } from './room-identifiers.ts'
import { createValueChecks } from './value-checks.ts'
import { LAYERS_PATH, tags, valueRoutes } from './values.routes.ts'

const READ = { access: 'building.layers:read' }
const WRITE = { access: 'building.layers:write' }
const response = { $ref: 'DataLayer#' }
const RECORD = { record: BY_UPDATED_AT }
const DEFINE = { ...WRITE, body: BODIES.medium }
const ONE = `${LAYERS_PATH}/:layerId`

export function layerRoutes(app: HttpApp, db: Database, clock: Clock): void {
  const parts = { db, clock, checks: createValueChecks(), spaces: createRoomIdentifiers() }
  const one = { tags, params: LayerParams, querystring: NoQuery }
  app.addSchema(DataLayer)

  const createSchema = {
    tags,
    summary: 'Create a data layer',
    description:
      'The key is unique in the building. A legend entry has either value, or min and max (NUMBER layers only). If a ' +
      'value matches several entries, the first counts.',
    params: BuildingParams,
    querystring: NoQuery,
    body: NewDataLayer,
    response: { 201: response },
  }
  app.post(
    LAYERS_PATH,
    {
      config: { ...DEFINE, newRecord: BY_UPDATED_AT, problems: ['CONFLICT', 'VALUE_SCHEMA_INVALID'] },
      schema: createSchema,
    },
    async (request, reply) => {
      const { buildingId } = request.params
      const made = await createLayer(parts, buildingId, request.body)
      reply.code(201).header('location', `/api/v1/buildings/${buildingId}/data-layers/${made.id}`)
      return made
    },
  )

  const listSchema = {
    tags,
    summary: 'List data layers, ordered by key',
    description: 'Returns a page of the data layers of the building, without their values.',
    params: BuildingParams,
    querystring: DataLayerListQuery,
    response: { 200: DataLayerList },
  }
  app.get(LAYERS_PATH, { config: { ...READ, revalidates: true }, schema: listSchema }, (request) => {
    const { buildingId } = request.params
    const page = pageOf(request.query)
    return listInBuilding(db, buildingId, () => listLayers(db, buildingId, page))
  })

  const readSchema = {
    ...one,
    summary: 'Read a data layer',
    description:
      'Returns the data layer with its value type, its schema, its legend and the number of rooms that have a value.',
    response: { 200: response },
  }
  app.get(ONE, { config: { ...READ, ...RECORD }, schema: readSchema }, (request) => readLayer(db, request.params))

  const patchSchema = {
    ...one,
    summary: 'Change a data layer',
    description:
      'Null removes description, valueSchema, legend or metadata. valueType and key cannot change. A valueSchema that ' +
      'stored values do not match is refused with 409; roomIds lists up to ten of their rooms.',
    body: DataLayerPatch,
    response: { 200: response },
  }
  app.patch(
    ONE,
    {
      config: { ...DEFINE, ...RECORD, problems: ['CONFLICT', 'VALUE_SCHEMA_INVALID', 'VALUE_TYPE_IMMUTABLE'] },
      schema: patchSchema,
    },
    (request) => changeLayer(parts, request.params, request.body, request.precondition),
  )

  const deleteSchema = {
    ...one,
    summary: 'Delete a data layer and its values',
    description: 'Deletes the data layer and the values of all rooms in it.',
    response: { 204: Type.Null() },
  }
  app.delete(ONE, { config: { ...WRITE, ...RECORD }, schema: deleteSchema }, async (request, reply) => {
    await removeLayer(parts, request.params, request.precondition)
    return reply.code(204).send(null)
  })

  valueRoutes(app, parts)
}
