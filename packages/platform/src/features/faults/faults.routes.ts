import {
  AcknowledgedFaults,
  BuildingParams,
  FaultList,
  FaultParams,
  FaultQuery,
  FaultRecord,
  FaultRuleList,
  FaultRuleParams,
  FaultRulePatch,
  FaultRuleQuery,
  FaultRuleRecord,
  FaultSummary,
  FaultsToAcknowledge,
  LIMITS,
  NewFaultRule,
  NoBody,
  NoQuery,
  pageOf,
  QUOTAS,
} from '@storey/contract'
import { BY_UPDATED_AT, digestVersion, type HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import { callerOf } from '../../caller.ts'
import { listInBuilding } from '../../graph/index.ts'
import { acknowledgeFault, acknowledgeFaults, readFault } from './acknowledge-fault.ts'
import { changeRule, createRule, type RuleParts, readRule, removeRule } from './change-rule.ts'
import { listRules } from './fault-rules.store.ts'
import { countFaults, listFaults } from './faults.store.ts'

const READ = { access: 'building.faults:read' }
const WRITE = { access: 'building.faults:write' }
const FAULT = { record: { version: (fault: FaultRecord) => digestVersion(fault) } }
const RULE = { record: BY_UPDATED_AT }
const tags = ['Faults']
const BUILDING = '/api/v1/buildings/:buildingId'
const FAULTS = `${BUILDING}/faults`
const RULES = `${BUILDING}/fault-rules`

/** Detected faults and their rules. */
export function faultRoutes(app: HttpApp, parts: RuleParts): void {
  app.addSchema(FaultRecord)
  app.addSchema(FaultRuleRecord)
  app.addSchema(FaultSummary)
  detectedFaultRoutes(app, parts)
  ruleRoutes(app, parts)
}

function detectedFaultRoutes(app: HttpApp, { db, clock }: RuleParts): void {
  const one = { tags, params: FaultParams, querystring: NoQuery, response: { 200: { $ref: 'Fault#' } } }

  const listSchema = {
    tags,
    summary: 'List faults, newest first',
    description: 'Faults that have ended stay in the list, as resolved.',
    params: BuildingParams,
    querystring: FaultQuery,
    response: { 200: FaultList },
  }
  app.get(FAULTS, { config: READ, schema: listSchema }, (request) => {
    const { buildingId } = request.params
    const page = pageOf(request.query)
    return listInBuilding(db, buildingId, () => listFaults(db, buildingId, request.query, page))
  })

  const summarySchema = {
    tags,
    summary: 'Count active faults',
    description: 'Returns the numbers of open and acknowledged faults by severity.',
    params: BuildingParams,
    querystring: NoQuery,
    response: { 200: { $ref: 'FaultSummary#' } },
  }
  app.get(`${FAULTS}/summary`, { config: READ, schema: summarySchema }, (request) => {
    const { buildingId } = request.params
    return listInBuilding(db, buildingId, () => countFaults(db, buildingId))
  })

  app.get(
    `${FAULTS}/:faultId`,
    {
      config: { ...READ, ...FAULT },
      schema: {
        ...one,
        summary: 'Read a fault',
        description: 'Returns the fault with the id of its rule, its severity, its state and when it was detected.',
      },
    },
    (request) => readFault(db, request.params),
  )

  const acknowledgeSchema = {
    ...one,
    summary: 'Acknowledge a fault',
    description:
      'Records that somebody takes care of the fault. A second call changes nothing. A resolved fault is refused with ' +
      '409.',
    body: NoBody,
  }
  app.post(
    `${FAULTS}/:faultId/acknowledge`,
    { config: { ...WRITE, ...FAULT, grows: false, problems: ['CONFLICT'] }, schema: acknowledgeSchema },
    (request) => acknowledgeFault(db, clock, request.params, callerOf(request).actor, request.precondition),
  )

  const acknowledgeManySchema = {
    tags,
    summary: 'Acknowledge several faults',
    description:
      `Acknowledges up to ${LIMITS.acknowledgedFaults} faults in one transaction and returns them in the given order. ` +
      'Faults that are acknowledged or resolved stay as they are. If an id is unknown, the response is 400 and no fault is acknowledged.',
    params: BuildingParams,
    querystring: NoQuery,
    body: FaultsToAcknowledge,
    response: { 200: AcknowledgedFaults },
  }
  app.post(
    `${FAULTS}/acknowledge`,
    { config: { ...WRITE, grows: false }, schema: acknowledgeManySchema },
    async (request) => {
      const { buildingId } = request.params
      const { actor } = callerOf(request)
      return { data: await acknowledgeFaults(db, clock, buildingId, request.body.faultIds, actor) }
    },
  )
}

function ruleRoutes(app: HttpApp, parts: RuleParts): void {
  const { db } = parts
  const response = { $ref: 'FaultRule#' }
  const one = { tags, params: FaultRuleParams, querystring: NoQuery }

  const listSchema = {
    tags,
    summary: 'List fault rules, oldest first',
    description: 'Returns a page of the rules by which faults are detected in the building.',
    params: BuildingParams,
    querystring: FaultRuleQuery,
    response: { 200: FaultRuleList },
  }
  app.get(RULES, { config: READ, schema: listSchema }, (request) => {
    const { buildingId } = request.params
    const page = pageOf(request.query)
    return listInBuilding(db, buildingId, () => listRules(db, buildingId, page))
  })

  const createSchema = {
    tags,
    summary: 'Create a fault rule',
    description:
      'threshold: a number above `above` or below `below`, for durationSeconds by the times of the observations. ' +
      'stuck: a number that does not change for durationSeconds while observations keep coming. ' +
      'silent: no observation for durationSeconds, of a point that has sent one since the rule was created. ' +
      'alarm: the text true, on, active, alarm or fault, or any number except 0. ' +
      'A rule has at least one of pointId, pointName, quantityKind, unit, pointType and elementTypeSlug, and watches the ' +
      `points that match all of them. A building has at most ${QUOTAS.faultRules.limit} rules.`,
    params: BuildingParams,
    querystring: NoQuery,
    body: NewFaultRule,
    response: { 201: response },
  }
  app.post(RULES, { config: { ...WRITE, newRecord: BY_UPDATED_AT }, schema: createSchema }, async (request, reply) => {
    const made = await createRule(parts, request.params.buildingId, request.body)
    reply.code(201).header('location', `/api/v1/buildings/${made.buildingId}/fault-rules/${made.id}`)
    return made
  })

  const readSchema = {
    ...one,
    summary: 'Read a fault rule',
    description: 'Returns the fault rule with the fields that select its points, its condition and its severity.',
    response: { 200: response },
  }
  app.get(`${RULES}/:ruleId`, { config: { ...READ, ...RULE }, schema: readSchema }, (request) =>
    readRule(db, request.params),
  )

  const patchSchema = {
    ...one,
    summary: 'Change a fault rule',
    description:
      'Null removes a field. The kind cannot change. An active fault is resolved if the rule no longer watches its point, ' +
      'or if the last value of the point is within the changed bounds. A disabled rule has no active faults.',
    body: FaultRulePatch,
    response: { 200: response },
  }
  app.patch(
    `${RULES}/:ruleId`,
    { config: { ...WRITE, ...RULE, grows: false, problems: ['QUOTA_EXCEEDED'] }, schema: patchSchema },
    (request) => changeRule(parts, request.params, request.body, request.precondition),
  )

  const deleteSchema = {
    ...one,
    summary: 'Delete a fault rule',
    description: 'The faults of the rule are resolved, and stay in the list.',
    response: { 204: Type.Null() },
  }
  app.delete(`${RULES}/:ruleId`, { config: { ...WRITE, ...RULE }, schema: deleteSchema }, async (request, reply) => {
    await removeRule(parts, request.params, request.precondition)
    return reply.code(204).send(null)
  })
}
