import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  BuildingParams,
  holds,
  IFC_MEDIA_TYPES,
  IfcImportQuery,
  ImportAccepted,
  ImportList,
  ImportListQuery,
  ImportParams,
  ImportRecord,
  ImportSummary,
  LeftOutList,
  LeftOutQuery,
  LIMITS,
  NoQuery,
  Problem,
  pageOf,
  problems,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import { BODIES, type BodyRule, type HttpApp } from '@storey/kit/http'
import { callerOf } from '../../caller.ts'
import { buildingExists, isUuid, listInBuilding } from '../../graph/index.ts'
import { storeFile } from './import-files.store.ts'
import type { ImportQueue } from './import-queue.ts'
import { countWaiting, findImport, insertImport, listImports, readLeftOut } from './imports.store.ts'
import { createUploadLimit } from './limit-uploads.ts'
import { fileOf, receiveFile } from './receive-file.ts'

const READ = { access: 'data-import.sync:read' }
const WRITE = { access: 'data-import.sync:write' }
const tags = ['Imports']
const PATH = '/api/v1/buildings/:buildingId'

/** The body is streamed to the disk. */
const FILE: BodyRule = {
  ...BODIES.bulk,
  maxBytes: LIMITS.ifcBytes,
  types: Object.fromEntries(IFC_MEDIA_TYPES.map((type) => [type, 'stream'])),
}
const file = { schema: { type: 'string', format: 'binary' } }
const describedBody = { content: Object.fromEntries(IFC_MEDIA_TYPES.map((type) => [type, file])) }

export function ifcImportRoutes(app: HttpApp, db: Database, clock: Clock, queue: ImportQueue): void {
  const uploads = createUploadLimit()
  app.addSchema(ImportSummary)
  app.addSchema(ImportRecord)

  const uploadSchema = {
    tags,
    summary: 'Import a building model (IFC2X3, IFC4 or IFC4X3)',
    description: `The .ifc file is the body, at most ${LIMITS.ifcBytes / 1024 / 1024} MB. It is read in the background: …/imports/{importId} has the state of the import. With \`replace=true\`, which needs building.graph:write too, all nodes of the generated building and of earlier models are replaced by the nodes of this model, which have new ids.`,
    params: BuildingParams,
    querystring: IfcImportQuery,
    response: { 202: ImportAccepted },
  }
  app.post<{ Params: { buildingId: string }; Querystring: IfcImportQuery }>(
    `${PATH}/import/ifc`,
    { config: { ...WRITE, describedBody, body: FILE }, schema: uploadSchema, handlerTimeout: LIMITS.requestMs },
    async (request, reply) => {
      const { replace = false, fileName = null } = request.query
      const { actor, roles } = callerOf(request)
      // A replacement deletes nodes, and the permission to import does not include deleting nodes.
      if (replace && !holds(roles, 'building.graph:write')) throw problems.permissionDenied('building.graph:write')
      if (request.body === undefined || request.body === null) throw wrongType()
      const buildingId = request.params.buildingId.toLowerCase()
      if (!isUuid(buildingId) || !(await buildingExists(db, buildingId))) throw problems.notFound('building')
      const waiting = await countWaiting(db, buildingId)
      const id = randomUUID()
      await uploads.hold(buildingId, waiting, async () => {
        const sizeBytes = await receiveFile(request.body as Readable, queue.folder, id)
        const path = fileOf(queue.folder, id)
        const store = queue.keepsFilesInDatabase ? (tx: Tx) => storeFile(tx, id, path) : undefined
        try {
          const made = { id, buildingId, replace, actor, fileName, sizeBytes, createdAt: clock.now() }
          await insertImport(db, made, store)
          if (store) await rm(path, { force: true })
        } catch (err) {
          await rm(path, { force: true })
          throw err
        }
      })
      queue.wake()
      reply.code(202).header('location', `/api/v1/buildings/${buildingId}/imports/${id}`)
      return { importId: id, status: 'queued' as const }
    },
  )

  const listSchema = {
    tags,
    summary: 'List imports of building models, the newest first',
    description: 'Returns a page of the imports of building models with their status and counts.',
    params: BuildingParams,
    querystring: ImportListQuery,
    response: { 200: ImportList },
  }
  app.get(`${PATH}/imports`, { config: READ, schema: listSchema }, ({ params: { buildingId }, query }) => {
    const page = pageOf(query)
    return listInBuilding(db, buildingId, () => listImports(db, buildingId, page))
  })

  const readSchema = {
    tags,
    summary: 'Read an import with the entities that it left out',
    description:
      'Returns the import with its status, its counts and the first of the entities that it left out, each with a reason.',
    params: ImportParams,
    querystring: NoQuery,
    response: { 200: { $ref: 'Import#' } },
  }
  app.get(`${PATH}/imports/:importId`, { config: READ, schema: readSchema }, ({ params }) =>
    find(params, LIMITS.leftOutInRecord),
  )

  const leftOutSchema = {
    tags,
    summary: 'List the entities that an import left out',
    description: 'Returns a page of the entities that were not imported, each with its class, its name and the reason.',
    params: ImportParams,
    querystring: LeftOutQuery,
    response: { 200: LeftOutList },
  }
  app.get(`${PATH}/imports/:importId/left-out`, { config: READ, schema: leftOutSchema }, async ({ params, query }) => {
    const page = pageOf(query, { default: LIMITS.page.default, max: LIMITS.graphPageMax })
    const { leftOutTotal } = await find(params, 0)
    return { data: await readLeftOut(db, params.importId, page), total: leftOutTotal, ...page }
  })

  async function find({ buildingId, importId }: { buildingId: string; importId: string }, maxLeftOut: number) {
    const found = isUuid(importId) ? await findImport(db, buildingId, importId, maxLeftOut) : undefined
    if (!found) throw problems.notFound('import')
    return found
  }
}

const wrongType = () =>
  new Problem('UNSUPPORTED_MEDIA_TYPE', `Send the file as ${IFC_MEDIA_TYPES.join(' or ')}, and not compressed`)
