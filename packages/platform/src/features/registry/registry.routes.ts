import {
  ModuleIngest,
  ModuleList,
  ModuleQuery,
  ModuleRecord,
  NoBody,
  NoQuery,
  pageOf,
  problems,
  type ServeConfig,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { BODIES, BY_UPDATED_AT, type HttpApp } from '@storey/kit/http'
import type { Outbound } from '@storey/kit/outbound'
import Type from 'typebox'
import { checkManifest } from './check-manifest.ts'
import { checkRemoteEntry } from './check-remote-entry.ts'
import { deleteModule, findModule, listModules, putModule } from './registry.store.ts'

const READ = { access: 'building.graph:read' }
const WRITE = { access: 'platform.registry:write' }
const RECORD = { record: BY_UPDATED_AT }
const tags = ['Modules']
const PATH = '/api/v1/registry/modules'
const SlugParams = Type.Object({ slug: Type.String({ description: 'The slug of the module' }) })
const response = { $ref: 'Module#' }

export interface RegistryParts {
  db: Database
  clock: Clock
  moduleRoute: ServeConfig['moduleRoute']
  /** Distinguishes public addresses from others. */
  outbound: Outbound
}

export function registryRoutes(app: HttpApp, { db, clock, moduleRoute, outbound }: RegistryParts): void {
  app.addSchema(ModuleRecord)

  const ingestSchema = {
    tags,
    summary: 'Register or update a module',
    description:
      'Responds with 201 if the slug is new, otherwise with 200. remoteEntryUrl is a full URL with a path: http on ' +
      'localhost or 127.0.0.1 if the console loads modules from the developer’s machine, otherwise public https. ' +
      'A payloadContract without $schema is read as JSON Schema 2020-12.',
    querystring: NoQuery,
    body: ModuleIngest,
    response: { 200: response, 201: response },
  }
  app.post(
    `${PATH}/ingest`,
    {
      config: { ...WRITE, ...RECORD, body: BODIES.medium, problems: ['UNKNOWN_BUILDING_TYPE'] },
      schema: ingestSchema,
    },
    async ({ body, precondition }, reply) => {
      await checkManifest(body.manifest)
      const remoteEntryUrl = await checkRemoteEntry(body.remoteEntryUrl, moduleRoute, outbound)
      const { record, isNew } = await putModule(db, { ...body, remoteEntryUrl }, clock.now(), precondition)
      if (isNew) reply.code(201).header('location', `${PATH}/${record.slug}`)
      return record
    },
  )

  const listSchema = {
    tags,
    summary: 'List modules, ordered by slug',
    description: 'Returns a page of the modules that are registered in the sandbox.',
    querystring: ModuleQuery,
    response: { 200: ModuleList },
  }
  app.get(PATH, { config: READ, schema: listSchema }, ({ query }) => listModules(db, pageOf(query)))

  const one = { tags, params: SlugParams, querystring: NoQuery }
  const readSchema = {
    ...one,
    summary: 'Read a module',
    description: 'Returns the module with its manifest and the address of its remote entry.',
    response: { 200: response },
  }
  app.get(`${PATH}/:slug`, { config: { ...READ, ...RECORD }, schema: readSchema }, async ({ params }) => {
    const found = await findModule(db, params.slug)
    if (!found) throw problems.notFound('module')
    return found
  })

  const deleteSchema = {
    ...one,
    summary: 'Remove a module',
    description: 'Removes the module from the registry, and deletes its licences.',
    body: NoBody,
    response: { 204: Type.Null() },
  }
  app.delete(`${PATH}/:slug`, { config: { ...WRITE, ...RECORD }, schema: deleteSchema }, async (request, reply) => {
    if (!(await deleteModule(db, request.params.slug, request.precondition))) throw problems.notFound('module')
    return reply.code(204).send(null)
  })
}
