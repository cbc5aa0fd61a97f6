import {
  BuildingParams,
  DiffQuery,
  DiffRecord,
  Graph,
  GraphQuery,
  HistoryEntry,
  HistoryList,
  HistoryQuery,
  LIMITS,
  NODE_SCHEMAS,
  pageOf,
  RevisionList,
  RevisionListQuery,
  RevisionRecord,
  VERSION,
} from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { answerIfKnown, type HttpApp, instantVersion } from '@storey/kit/http'
import { listInBuilding, type RevisionAt, resolveRevision } from '../../graph/index.ts'
import { describeBuilding, listRevisions } from './history.store.ts'
import { diffAsJson } from './read-diff.ts'
import { graphAsJson, graphAsTurtle } from './read-graph.ts'
import { readHistory } from './read-history.ts'

const config = { access: 'building.graph:read' }
const tags = ['History']
const PATH = '/api/v1/buildings/:buildingId'
const TURTLE = 'text/turtle'

export function historyRoutes(app: HttpApp, db: Database): void {
  for (const schema of [...NODE_SCHEMAS, Graph, DiffRecord, HistoryEntry, RevisionRecord]) app.addSchema(schema)

  const graphSchema = {
    tags,
    summary: 'Read the whole graph, now or at a revision',
    description: `Returns JSON, or Brick and REC in Turtle with \`format=turtle\` or \`Accept: ${TURTLE}\`.`,
    params: BuildingParams,
    querystring: GraphQuery,
    response: {
      200: {
        content: { 'application/json': { schema: { $ref: 'Graph#' } }, [TURTLE]: { schema: { type: 'string' } } },
      },
    },
  }
  app.get(
    `${PATH}/graph`,
    { config: { ...config, revalidates: true }, schema: graphSchema },
    async (request, reply) => {
      const { at, format } = request.query
      const revision = await resolveRevision(db, request.params.buildingId, at, 'at')
      const buildingId = request.params.buildingId.toLowerCase()
      reply.header('x-revision', revision.revision).header('vary', 'accept')
      const isTurtle = format === 'turtle' || (format === undefined && prefersTurtle(request.headers.accept))
      if (answerIfKnown(request, reply, tagOf(isTurtle ? 'turtle' : 'json', revision))) return reply.send()
      if (isTurtle) {
        const building = await describeBuilding(db, buildingId)
        return reply.type(`${TURTLE}; charset=utf-8`).send(graphAsTurtle(db, building, revision))
      }
      return reply.type('application/json; charset=utf-8').send(graphAsJson(db, buildingId, revision))
    },
  )

  const diffSchema = {
    tags,
    summary: 'Compare two revisions of the graph',
    description:
      'Compares the graph at two revisions and returns each node that was created, changed or deleted between them, before and after.',
    params: BuildingParams,
    querystring: DiffQuery,
    response: { 200: { $ref: 'Diff#' } },
  }
  app.get(`${PATH}/diff`, { config: { ...config, revalidates: true }, schema: diffSchema }, async (request, reply) => {
    const { buildingId } = request.params
    const [from, to] = [
      await resolveRevision(db, buildingId, request.query.from, 'from'),
      await resolveRevision(db, buildingId, request.query.to, 'to'),
    ]
    if (answerIfKnown(request, reply, tagOf('diff', from, to))) return reply.send()
    return reply.type('application/json; charset=utf-8').send(diffAsJson(db, buildingId.toLowerCase(), from, to))
  })

  const historySchema = {
    tags,
    summary: 'List changes of nodes, newest first',
    description:
      'Returns a page of the changes of all nodes, or of one node. Each entry has the node before and after the change.',
    params: BuildingParams,
    querystring: HistoryQuery,
    response: { 200: HistoryList },
  }
  app.get(`${PATH}/history`, { config, schema: historySchema }, (request) => {
    const page = pageOf(request.query, { default: LIMITS.page.default, max: LIMITS.graphPageMax })
    const admit = async (bytes: number) => request.waitForMemory?.(bytes)
    return readHistory(db, request.params.buildingId, request.query, page, admit)
  })

  const revisionsSchema = {
    tags,
    summary: 'List revisions, newest first',
    description:
      'Returns a page of the revisions of the building: who changed the graph, when, and how many nodes were changed.',
    params: BuildingParams,
    querystring: RevisionListQuery,
    response: { 200: RevisionList },
  }
  app.get(`${PATH}/revisions`, { config, schema: revisionsSchema }, (request) => {
    const { buildingId } = request.params
    const page = pageOf(request.query)
    return listInBuilding(db, buildingId, () => listRevisions(db, buildingId, request.query.changesetId, page))
  })
}

/** The ETag of a response. A revision never changes, but the form of the response depends on the platform version. */
function tagOf(form: string, ...revisions: readonly RevisionAt[]): string {
  const parts = revisions.map(({ revision, at }) => `${revision}-${instantVersion(at)}`)
  return `"${[form, ...parts, VERSION].join('.')}"`
}

const prefersTurtle = (accept = '') =>
  /text\/turtle(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accept) && !/application\/json/i.test(accept)
