import {
  BuildingParams,
  ChangesetDiff,
  ChangesetList,
  ChangesetListQuery,
  ChangesetPatch,
  ChangesetRecord,
  ChangesetSummary,
  inBuilding,
  NewChangeset,
  NoQuery,
  pageOf,
  problems,
  Review,
  StepBody,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { BODIES, type HttpApp } from '@storey/kit/http'
import { byCaller, callerOf } from '../../caller.ts'
import { type GraphAccess, listInBuilding } from '../../graph/index.ts'
import { applyChangeset } from './apply-changeset.ts'
import { type ChangesetAddress, findChangeset, listChangesets, versionAfter } from './changesets.store.ts'
import { diffChangeset } from './diff-changeset.ts'
import { changeDraft, createDraft } from './draft-changeset.ts'
import { revertChangeset } from './revert-changeset.ts'
import { reviewChangeset } from './review-changeset.ts'
import { submitChangeset } from './submit-changeset.ts'

const READ = { access: 'building.graph:read' }
/** These routes respond with CONFLICT if the state does not allow the step, or if other nodes prevent an operation. */
const CONFLICTS = { problems: ['CONFLICT'] } as const
const WRITE = { access: 'building.changesets:write', ...CONFLICTS }
const DRAFT = { ...WRITE, body: BODIES.bulk }
const REVIEW = { access: 'building.changesets:review', ...CONFLICTS }
/** Each step changes the version; a change of the draft is a step. */
const BY_STEPS = { version: ({ id, trail }: ChangesetRecord) => versionAfter(id, trail.length) }
const RECORD = { record: BY_STEPS }
const ALL = '/api/v1/buildings/:buildingId/changesets'
const ONE = `${ALL}/:id`

const common = { tags: ['Changesets'], querystring: NoQuery }
const record = { $ref: 'Changeset#' }
const onOne = { ...common, params: inBuilding('changeset'), response: { 200: record } }

/** Changes of the graph that are drafted, reviewed, applied as one revision and reverted as one. */
export function changesetRoutes(app: HttpApp, db: Database, graph: GraphAccess, clock: Clock): void {
  for (const schema of [ChangesetSummary, ChangesetRecord, ChangesetDiff]) app.addSchema(schema)

  const find = async (address: ChangesetAddress) => {
    const found = await findChangeset(db, address)
    if (!found) throw problems.notFound('changeset')
    return found
  }

  const listSchema = {
    ...common,
    summary: 'List changesets, newest first',
    description: 'Returns a page of the changesets of the building, without their operations.',
    params: BuildingParams,
    querystring: ChangesetListQuery,
    response: { 200: ChangesetList },
  }
  app.get(ALL, { config: READ, schema: listSchema }, async (request) => {
    const { buildingId } = request.params
    const page = pageOf(request.query)
    return listInBuilding(db, buildingId, () => listChangesets(db, buildingId, request.query, page))
  })

  app.get(
    ONE,
    {
      config: { ...READ, ...RECORD },
      schema: {
        ...onOne,
        summary: 'Read a changeset with its history',
        description:
          'Returns the changeset with its operations and all its steps, each with its actor, time and comment.',
      },
    },
    (request) => find(request.params),
  )

  const createSchema = {
    ...common,
    summary: 'Create a draft of a changeset',
    description:
      'The operations are checked against the current graph. A create operation may specify the id of its node.',
    params: BuildingParams,
    body: NewChangeset,
    response: { 201: record },
  }
  app.post(ALL, { config: { ...DRAFT, newRecord: BY_STEPS }, schema: createSchema }, async (request, reply) => {
    const { buildingId } = request.params
    const id = await createDraft(db, graph, clock, buildingId, request.body, callerOf(request))
    reply.code(201).header('location', `/api/v1/buildings/${buildingId}/changesets/${id}`)
    return find({ buildingId, id })
  })

  const patchSchema = {
    ...onOne,
    summary: 'Change a draft',
    description: 'Changes the title, the description or the operations of a changeset that is not submitted yet.',
    body: ChangesetPatch,
  }
  app.patch(ONE, { config: { ...DRAFT, ...RECORD }, schema: patchSchema }, async (request) => {
    await changeDraft(db, graph, clock, request.params, request.body, byCaller(request))
    return find(request.params)
  })

  const submitSchema = {
    ...onOne,
    summary: 'Submit a draft for review',
    description: 'Submits the draft for review. Its operations cannot be changed from then on.',
    body: StepBody,
  }
  app.post(`${ONE}/submit`, { config: { ...WRITE, ...RECORD }, schema: submitSchema }, async (request) => {
    await submitChangeset(db, clock, request.params, request.body?.comment, byCaller(request))
    return find(request.params)
  })

  const reviewSchema = {
    ...onOne,
    summary: 'Approve or reject a submitted changeset',
    description:
      'Records the decision of a reviewer, who must not have written any of the operations. The sandbox’s own token ' +
      'is exempt from this rule.',
    body: Review,
  }
  app.post(`${ONE}/review`, { config: { ...REVIEW, ...RECORD }, schema: reviewSchema }, async (request) => {
    await reviewChangeset(db, clock, request.params, request.body, byCaller(request))
    return find(request.params)
  })

  const applySchema = {
    ...onOne,
    summary: 'Apply an approved changeset',
    description: 'Writes the operations as one revision, or responds with 409 and the nodes that prevent it.',
    body: StepBody,
  }
  app.post(`${ONE}/apply`, { config: { ...WRITE, ...RECORD }, schema: applySchema }, async (request) => {
    await applyChangeset(graph, request.params, request.body?.comment, byCaller(request))
    return find(request.params)
  })

  const revertSchema = {
    ...onOne,
    summary: 'Revert an applied changeset',
    description:
      'Restores the nodes to their state before the changeset, or responds with 409 and the nodes that prevent it. ' +
      'Layer values of a space that the changeset deleted are not restored.',
    body: StepBody,
  }
  app.post(`${ONE}/revert`, { config: { ...WRITE, ...RECORD }, schema: revertSchema }, async (request) => {
    await revertChangeset(graph, request.params, request.body?.comment, byCaller(request))
    return find(request.params)
  })

  const diffSchema = {
    ...onOne,
    summary: 'Read the diff of a changeset',
    description:
      'Returns each node that the operations create, change or delete, before and after, and the conflicts with later changes of the building.',
    response: { 200: { $ref: 'ChangesetDiff#' } },
  }
  app.get(`${ONE}/diff`, { config: { ...READ, ...CONFLICTS }, schema: diffSchema }, (request) =>
    diffChangeset(graph, request.params),
  )
}
