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
/** A caller who may create requests may also comment on them. */
const CREATE = { access: 'service-desk.requests:create', body: BODIES.medium }
const MANAGE = { access: 'service-desk.requests:manage', body: BODIES.medium }
const REQUEST = { record: BY_UPDATED_AT }
const ALL = '/api/service-desk/requests'
const ONE = `${ALL}/:id`

const tags = ['Service desk']
const record = { $ref: 'ServiceRequest#' }
const onOne = { tags, params: RequestParams, querystring: NoQuery, response: { 200: record } }

/**
 * Requests of people who use the buildings. Clients poll for changes, or are notified of them in the Socket.IO
 * namespace `/changes`. Events are sent to the bus, never to webhooks.
 */
export function serviceDeskRoutes(app: HttpApp, desk: Desk): void {
  for (const schema of [RequestRecord, CommentRecord]) app.addSchema(schema)

  const listSchema = {
    tags,
    summary: 'List service requests, most recently changed first',
    description:
      'Filters combine with AND. An unknown UUID gives an empty page; a buildingId that is not in the scope of the token is ' +
      'refused with 403. No two changes have the same updatedAt, and changes become visible in the order of updatedAt: a ' +
      'client that polls without a filter by state, and reads down to the last updatedAt it knows, misses no change. A ' +
      'filter by state hides requests that have left that state.',
    querystring: RequestQuery,
    response: { 200: RequestList },
  }
  app.get(ALL, { config: READ, schema: listSchema }, (request) => listRequests(desk, callerOf(request), request.query))

  const createSchema = {
    tags,
    summary: 'Create a service request',
    description:
      'spaceId, storeyId and elementId are ids of nodes of the building; external ids and codes are not accepted. Without a ' +
      'storeyId a request has the storey of its room or element. A room that is not on the given storey is refused with ' +
      '400.',
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
      'Null removes a description, an assignment or a place. Assigning a new request sets its state to assigned. A ' +
      'change of priority changes dueAt. A change of the room changes the storey too; if the body has both, the room must ' +
      'be on that storey.',
    body: RequestPatch,
  }
  app.patch(ONE, { config: { ...MANAGE, ...REQUEST }, schema: patchSchema }, (request) =>
    changeRequest(desk, callerOf(request), request.params.id, request.body, request.precondition),
  )

  const moveSchema = {
    ...onOne,
    summary: 'Move a service request to another state',
    description:
      'A transition that the state does not allow is refused with 409; `allowed` lists the states that it allows. The ' +
      'SLA clock is paused while a request is on hold or resolved. When the request is in progress again, dueAt moves by ' +
      'the length of the pause.',
    body: RequestTransition,
  }
  app.post(
    `${ONE}/transition`,
    { config: { ...MANAGE, ...REQUEST, problems: ['CONFLICT'] }, schema: moveSchema },
    (request) => moveRequest(desk, callerOf(request), request.params.id, request.body, request.precondition),
  )

  const commentsSchema = {
    ...onOne,
    summary: 'List the comments of a service request, oldest first',
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
