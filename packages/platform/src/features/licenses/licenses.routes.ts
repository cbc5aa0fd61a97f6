import {
  LicenseList,
  LicenseQuery,
  LicenseRecord,
  NewLicense,
  NoBody,
  NoQuery,
  pageOf,
  pathId,
  problems,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { digestVersion, type HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import { callerOf, checkScope, isInScope } from '../../caller.ts'
import { isUuid } from '../../graph/index.ts'
import { deleteLicense, findLicense, insertLicense, listLicenses } from './licenses.store.ts'

const READ = { access: 'building.graph:read' }
const WRITE = { access: 'platform.licenses:write' }
/** The version depends on the id only, since a licence never changes. */
const BY_ID = { version: ({ licenseId }: LicenseRecord) => digestVersion(licenseId) }
const RECORD = { record: BY_ID }
const tags = ['Modules']
const PATH = '/api/v1/licenses'
const LicenseParams = Type.Object({ licenseId: pathId('licence') })
const response = { $ref: 'License#' }

export function licenseRoutes(app: HttpApp, db: Database, clock: Clock): void {
  app.addSchema(LicenseRecord)

  const createSchema = {
    tags,
    summary: 'License a module for a building',
    description: 'A second licence for the same module and building is refused with 409.',
    querystring: NoQuery,
    body: NewLicense,
    response: { 201: response },
  }
  app.post(
    PATH,
    { config: { ...WRITE, newRecord: BY_ID, problems: ['CONFLICT'] }, schema: createSchema },
    async (request, reply) => {
      const caller = callerOf(request)
      checkScope(caller, request.body.buildingId)
      const made = await insertLicense(db, request.body, { actor: caller.actor, at: clock.now() })
      if (made === 'module') throw problems.field('moduleSlug', 'moduleSlug is not a registered module')
      if (made === 'building') throw problems.field('buildingId', 'buildingId is not a building of this sandbox')
      reply.code(201).header('location', `${PATH}/${made.licenseId}`)
      return made
    },
  )

  const listSchema = {
    tags,
    summary: 'List licences, oldest first',
    description: 'Returns a page of the licences. They can be filtered by module and building.',
    querystring: LicenseQuery,
    response: { 200: LicenseList },
  }
  app.get(PATH, { config: READ, schema: listSchema }, (request) =>
    listLicenses(db, request.query, callerOf(request).buildingIds, pageOf(request.query)),
  )

  const one = { tags, params: LicenseParams, querystring: NoQuery }
  const readSchema = {
    ...one,
    summary: 'Read a licence',
    description: 'Returns the licence, which binds a module to a building.',
    response: { 200: response },
  }
  app.get(`${PATH}/:licenseId`, { config: { ...READ, ...RECORD }, schema: readSchema }, async (request) => {
    const { licenseId } = request.params
    const found = isUuid(licenseId) ? await findLicense(db, licenseId) : undefined
    if (!found || !isInScope(callerOf(request), found.buildingId)) throw problems.notFound('licence')
    return found
  })

  const deleteSchema = {
    ...one,
    summary: 'Delete a licence',
    description: 'Deletes the licence. The module stays in the registry.',
    body: NoBody,
    response: { 204: Type.Null() },
  }
  app.delete(
    `${PATH}/:licenseId`,
    { config: { ...WRITE, ...RECORD }, schema: deleteSchema },
    async (request, reply) => {
      const { licenseId } = request.params
      const found = isUuid(licenseId) ? await findLicense(db, licenseId) : undefined
      if (!found) throw problems.notFound('licence')
      request.precondition.check(BY_ID.version(found))
      if (!(await deleteLicense(db, licenseId))) throw problems.notFound('licence')
      return reply.code(204).send(null)
    },
  )
}
