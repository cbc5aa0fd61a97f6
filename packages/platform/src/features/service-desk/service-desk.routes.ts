import {
  CommentList,
  CommentListQuery,
  CommentRecord,
  NewComment,
  NewRequest,
  NoQuery,
  pageOf,
  RequestList,
  RequestParams,
  RequestPatch,
  RequestQuery,
  RequestRecord,
  RequestTransition,
} from '@storey/contract'
import { BODIES, BY_UPDATED_AT, type HttpApp } from '@storey/kit/http'
import { callerOf } from '../../caller.ts'
import { changeRequest } from './change-request.ts'
import { addComment, readComments } from './comment-request.ts'
import { createRequest } from './create-request.ts'
import type { Desk } from './desk.ts'
import { listRequests } from './list-requests.ts'
import { moveRequest } from './move-request.ts'
import { readRequest } from './read-request.ts'

const READ = { access: 'service-desk.requests:read' }
/** Whoever may create a request may comment on it. */
const CREATE = { access: 'service-desk.requests:create', body: BODIES.medium }
const MANAGE = { access: 'service-desk.requests:manage', body: BODIES.medium }
const REQUEST = { record: BY_UPDATED_AT }
const ALL = '/api/service-desk/requests'
const ONE = `${ALL}/:id`

const tags = ['Service desk']
const record = { $ref: 'ServiceRequest#' }
const onOne = { tags, params: RequestParams, querystring: NoQuery, response: { 200: record } }

/** Requests of people who use the buildings. Clients poll for changes; events go to the bus, never to webhooks. */
export function serviceDeskRoutes(app: HttpApp, desk: Desk): void {
  for (const schema of [RequestRecord, CommentRecord]) app.addSchema(schema)

  const listSchema = {
    tags,
    summary: 'List service requests, the last changed first',
    description:
      'Filters combine with AND; a UUID of nothing gives an empty page. No two changes share an updatedAt, and they ' +
      'become visible in its order: who polls without a filter by state and reads down to the last updatedAt it knows ' +
      'misses none. A filter by state hides what has left that state.',
    querystring: RequestQuery,
    response: { 200: RequestList },
  }
  app.get(ALL, { config: READ, schema: listSchema }, (request) => listRequests(desk, callerOf(request), request.query))

  const createSchema = {
    tags,
    summary: 'Open a service request',
    description:
      'spaceId, storeyId and elementId are ids of nodes of the building; external ids and codes are not taken. Without a ' +
      'storeyId a request has that of its room or element; a room on another storey is a 400.',
    querystring: NoQuery,
    body: NewRequest,
    response: { 201: record },
  }
  app.post(ALL, { config: { ...CREATE, newRecord: BY_UPDATED_AT }, schema: createSchema }, async (request, reply) => {
    const made = await createRequest(desk, callerOf(request), request.body)
    reply.code(201).header('location', `${ALL}/${made.id}`)
    return made
  })

  app.get(
    ONE,
    {
      config: { ...READ, ...REQUEST },
      schema: {
        ...onOne,
        summary: 'Read a service request',
        description: 'Returns the service request with its state, its assignment and its times.',
      },
    },
    (request) => readRequest(desk, callerOf(request), request.params.id),
  )

  const patchSchema = {
    ...onOne,
    summary: 'Change or assign a service request',
    description:
      'Null takes a description, an assignment or a place away. To assign a new request makes it assigned. Another ' +
      'priority moves dueAt. With another room the storey follows; one that is sent beside it must be its own.',
    body: RequestPatch,
  }
  app.patch(ONE, { config: { ...MANAGE, ...REQUEST }, schema: patchSchema }, (request) =>
    changeRequest(desk, callerOf(request), request.params.id, request.body, request.precondition),
  )

  const moveSchema = {
    ...onOne,
    summary: 'Move a service request to another state',
    description:
      'A move that its state does not allow is a 409 whose allowed names those that are. dueAt rests while a request is ' +
      'on hold or resolved, and moves by that time when it is in progress again.',
    body: RequestTransition,
  }
  app.post(
    `${ONE}/transition`,
    { config: { ...MANAGE, ...REQUEST, problems: ['CONFLICT'] }, schema: moveSchema },
    (request) => moveRequest(desk, callerOf(request), request.params.id, request.body, request.precondition),
  )

  const commentsSchema = {
    ...onOne,
    summary: 'List the comments of a service request, the oldest first',
    description: 'Returns a page of the comments with their authors.',
    querystring: CommentListQuery,
    response: { 200: CommentList },
  }
  app.get(`${ONE}/comments`, { config: READ, schema: commentsSchema }, (request) =>
    readComments(desk, callerOf(request), request.params.id, pageOf(request.query)),
  )

  const commentSchema = {
    ...onOne,
    summary: 'Comment on a service request',
    description: 'Adds a comment under the name of the caller.',
    body: NewComment,
    response: { 201: { $ref: 'RequestComment#' } },
  }
  app.post(`${ONE}/comments`, { config: CREATE, schema: commentSchema }, async (request, reply) => {
    reply.code(201)
    return addComment(desk, callerOf(request), request.params.id, request.body)
  })
}
