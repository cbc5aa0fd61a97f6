import {
  BuildingParams,
  inBuilding,
  NewSnapshot,
  NoQuery,
  pageOf,
  problems,
  SnapshotList,
  SnapshotListQuery,
  SnapshotRecord,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { digestVersion, type HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import { callerOf } from '../../caller.ts'
import { listInBuilding } from '../../graph/index.ts'
import { checkSnapshotName } from './snapshot-name.ts'
import { deleteSnapshot, findSnapshot, insertSnapshot, listSnapshots } from './snapshots.store.ts'

const READ = { access: 'building.graph:read' }
const WRITE = { access: 'building.graph:write' }
/** The id determines the version: a snapshot never changes, but its name may be reused after a deletion. */
const BY_ID = { version: ({ id }: SnapshotRecord) => digestVersion(id) }
const RECORD = { record: BY_ID }
const tags = ['History']
const PATH = '/api/v1/buildings/:buildingId/snapshots'
const response = { $ref: 'Snapshot#' }

export function snapshotRoutes(app: HttpApp, db: Database, clock: Clock): void {
  app.addSchema(SnapshotRecord)
  const one = { tags, params: inBuilding('snapshot'), querystring: NoQuery }

  const createSchema = {
    tags,
    summary: 'Create a snapshot of the current revision',
    description:
      'Gives the current revision a name, by which the graph can be read later. Names are unique in a building.',
    params: BuildingParams,
    querystring: NoQuery,
    body: NewSnapshot,
    response: { 201: response },
  }
  app.post(
    PATH,
    { config: { ...WRITE, newRecord: BY_ID, problems: ['CONFLICT'] }, schema: createSchema },
    async (request, reply) => {
      const { buildingId } = request.params
      const { name, description = null } = request.body
      checkSnapshotName(name)
      const createdBy = callerOf(request).actor
      const made = await insertSnapshot(db, { buildingId, name, description, createdBy, createdAt: clock.now() })
      if (!made) throw problems.notFound('building')
      reply.code(201).header('location', `/api/v1/buildings/${buildingId}/snapshots/${made.id}`)
      return made
    },
  )

  const listSchema = {
    tags,
    summary: 'List snapshots, newest first',
    description: 'Returns a page of the named revisions of the building.',
    params: BuildingParams,
    querystring: SnapshotListQuery,
    response: { 200: SnapshotList },
  }
  app.get(PATH, { config: READ, schema: listSchema }, (request) => {
    const { buildingId } = request.params
    const page = pageOf(request.query)
    return listInBuilding(db, buildingId, () => listSnapshots(db, buildingId, page))
  })

  const readSchema = {
    ...one,
    summary: 'Read a snapshot, by its id or name',
    description: 'Returns the snapshot with the revision that it names.',
    response: { 200: response },
  }
  app.get(
    `${PATH}/:id`,
    { config: { ...READ, ...RECORD }, schema: readSchema },
    async ({ params: { buildingId, id } }) => {
      const found = await findSnapshot(db, buildingId, id)
      if (!found) throw problems.notFound('snapshot')
      return found
    },
  )

  const deleteSchema = {
    ...one,
    summary: 'Delete a snapshot, by its id or name',
    description: 'Deletes only the name. The revision is kept.',
    response: { 204: Type.Null() },
  }
  app.delete(`${PATH}/:id`, { config: { ...WRITE, ...RECORD }, schema: deleteSchema }, async (request, reply) => {
    const { buildingId, id } = request.params
    const found = await findSnapshot(db, buildingId, id)
    if (!found) throw problems.notFound('snapshot')
    request.precondition.check(BY_ID.version(found))
    if (!(await deleteSnapshot(db, buildingId, found.id))) throw problems.notFound('snapshot')
    return reply.code(204).send(null)
  })
}
