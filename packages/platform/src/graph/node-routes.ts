import {
  BuildingParams,
  closed,
  inBuilding,
  NEW_NODES,
  NewExternalId,
  type NewNode,
  NODE_PATCHES,
  type NodeKind,
  type NodePatch,
  NoQuery,
  type Page,
  pageLimit,
  pageOf,
  problems,
} from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { BODIES, BY_UPDATED_AT, type HttpApp } from '@storey/kit/http'
import Type, { type TObject, type TSchema } from 'typebox'
import { byCaller, callerOf } from '../caller.ts'
import type { Admit } from './admit-large.store.ts'
import { addExternalId, createNode, deleteNode, patchNode, removeExternalId } from './change-node.ts'
import type { NodePage } from './node-lists.store.ts'
import { listInBuilding } from './nodes.store.ts'
import type { GraphAccess } from './open-graph.ts'

const READ = { access: 'building.graph:read' }
const RECORD = { record: BY_UPDATED_AT }
/** These routes respond with a conflict if another node has the code or external id, or prevents a deletion. */
const WRITE = { access: 'building.graph:write', problems: ['CONFLICT'] } as const
/** Allows a larger body, since a polygon may have many corners. */
const DRAW = { ...WRITE, body: BODIES.medium }

/** The differences between the kinds of nodes. The routes are the same for all. */
export interface NodeResource<Query, Node extends { id: string }> {
  kind: NodeKind
  /** The last part of the path. Capitalized, it is the tag in the API description. */
  path: string
  /** The schema of the record. The schema `list` refers to it by its `$id`. */
  record: TSchema & { $id?: string }
  list: TSchema
  query: TObject
  caps: { default: number; max: number }
  /** The order of the list, as text for the API description. */
  order: string
  listNodes(db: Database, buildingId: string, query: Query, page: Page, admit: Admit): Promise<NodePage>
  findNode(db: Database, buildingId: string, id: string): Promise<Node | undefined>
}

/** The seven routes of one kind of node: list, read, create, change, delete, add and remove an external id. */
export function nodeRoutes<Query, Node extends { id: string }>(
  app: HttpApp,
  db: Database,
  graph: GraphAccess,
  resource: NodeResource<Query, Node>,
): void {
  const { kind, path, record, caps } = resource
  const article = kind === 'element' ? 'an' : 'a'
  const tags = [path[0]!.toUpperCase() + path.slice(1)]
  const all = `/api/v1/buildings/:buildingId/${path}`
  const one = inBuilding(kind)
  const response = { $ref: `${record.$id}#` }
  const find = async (buildingId: string, id: string) => {
    const node = await resource.findNode(db, buildingId, id)
    if (!node) throw problems.notFound(kind)
    return node
  }
  app.addSchema(record)

  const listSchema = {
    tags,
    summary: `List ${path}, ${resource.order}`,
    description: `Returns a page of the ${path} of a building that match all given filters.`,
    params: BuildingParams,
    querystring: { ...resource.query, properties: { ...resource.query.properties, limit: pageLimit(caps) } } as TSchema,
    response: { 200: resource.list },
  }
  app.get(all, { config: { ...READ, revalidates: true }, schema: listSchema }, async (request, reply) => {
    const { buildingId } = request.params
    const query = request.query as Query & Partial<Page>
    const page = pageOf(query, caps)
    const admit = async (bytes: number) => request.waitForMemory?.(bytes)
    const { texts, total } = await listInBuilding(db, buildingId, () =>
      resource.listNodes(db, buildingId, query, page, admit),
    )
    const envelope = JSON.stringify({ total, ...page }).slice(1)
    return reply.type('application/json; charset=utf-8').send(`{"data":[${texts.join(',')}],${envelope}`)
  })

  const readSchema = {
    tags,
    summary: `Read ${article} ${kind}`,
    description: `Returns the ${kind} with all its external ids.`,
    params: one,
    querystring: NoQuery,
    response: { 200: response },
  }
  app.get(`${all}/:id`, { config: { ...READ, ...RECORD }, schema: readSchema }, (request) =>
    find(request.params.buildingId, request.params.id),
  )

  const createSchema = {
    tags,
    summary: `Create ${article} ${kind}`,
    description: `Adds the ${kind} to the graph as a new revision. A code is generated if the body has none.`,
    params: BuildingParams,
    querystring: NoQuery,
    body: NEW_NODES[kind],
    response: { 201: response },
  }
  app.post(all, { config: { ...DRAW, newRecord: BY_UPDATED_AT }, schema: createSchema }, async (request, reply) => {
    const { buildingId } = request.params
    const id = await createNode(graph, kind, buildingId, request.body as NewNode[typeof kind], callerOf(request).actor)
    reply.code(201).header('location', `/api/v1/buildings/${buildingId}/${path}/${id}`)
    return find(buildingId, id)
  })

  const patchSchema = {
    tags,
    summary: `Change ${article} ${kind}`,
    description: `Changes the fields in the body, as a new revision. External ids have their own operations.`,
    params: one,
    querystring: NoQuery,
    body: NODE_PATCHES[kind],
    response: { 200: response },
  }
  app.patch(`${all}/:id`, { config: { ...DRAW, ...RECORD }, schema: patchSchema }, async (request) => {
    await patchNode(graph, kind, request.params, request.body as NodePatch[typeof kind], byCaller(request))
    return find(request.params.buildingId, request.params.id)
  })

  const deleteSchema = {
    tags,
    summary: `Delete ${article} ${kind} that has nothing below it`,
    description:
      `Removes the ${kind} from the graph as a new revision. If there are nodes below it, nothing is removed and the ` +
      'response is 409.',
    params: one,
    querystring: NoQuery,
    response: { 204: Type.Null() },
  }
  app.delete(`${all}/:id`, { config: { ...WRITE, ...RECORD }, schema: deleteSchema }, async (request, reply) => {
    await deleteNode(graph, kind, request.params, byCaller(request))
    return reply.code(204).send(null)
  })

  const externalIds = `${all}/:id/external-ids`
  const addSchema = {
    tags,
    summary: `Add an external id to ${article} ${kind}`,
    description: `Adds a pair of source system and external id, which no other node of the building may have.`,
    params: one,
    querystring: NoQuery,
    body: NewExternalId,
    response: { 201: response },
  }
  app.post(externalIds, { config: { ...WRITE, ...RECORD }, schema: addSchema }, async (request, reply) => {
    await addExternalId(graph, kind, request.params, request.body, byCaller(request))
    reply.code(201)
    return find(request.params.buildingId, request.params.id)
  })
  const removeSchema = {
    tags,
    summary: `Remove an external id from ${article} ${kind}`,
    description:
      `Removes the pair of source system and external id from the ${kind}. If it was the first pair, externalId and ` +
      'sourceSystem are then those of the next one.',
    params: one,
    querystring: Type.Object(NewExternalId.properties, closed),
    response: { 204: Type.Null() },
  }
  app.delete(externalIds, { config: { ...WRITE, ...RECORD }, schema: removeSchema }, async (request, reply) => {
    await removeExternalId(graph, kind, request.params, request.query, byCaller(request))
    return reply.code(204).send(null)
  })
}
