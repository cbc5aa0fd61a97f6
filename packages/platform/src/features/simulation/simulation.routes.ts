import {
  BuildingParams,
  InjectedRecord,
  Injection,
  InjectionParams,
  NoBody,
  NoQuery,
  SimulationOrder,
  SimulationRecord,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { BY_VERSION, type HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import { changeSimulation, readSimulationRecord } from './change-simulation.ts'
import { injectFault } from './inject-fault.ts'
import { mendFault } from './mend-fault.ts'

const READ = { access: 'building.graph:read' }
const WRITE = { access: 'building.simulation:write' }
const RECORD = { record: BY_VERSION }
const PATH = '/api/v1/buildings/:buildingId/simulation'
const common = { tags: ['Simulation'], params: BuildingParams, querystring: NoQuery }
const response = { 200: { $ref: 'Simulation#' } }

/** `onOrder` hears that something was ordered, once it is. */
export function simulationRoutes(app: HttpApp, db: Database, clock: Clock, onOrder: () => void): void {
  const parts = { db, clock }
  app.addSchema(InjectedRecord)
  app.addSchema(SimulationRecord)

  const readSchema = {
    ...common,
    summary: 'Read whether the building is simulated, and how fast',
    description: 'Returns whether the simulation runs, at which speed, and the faults that are injected into it.',
    response,
  }
  app.get(PATH, { config: { ...READ, ...RECORD }, schema: readSchema }, ({ params }) =>
    readSimulationRecord(parts, params.buildingId),
  )

  const changeSchema = {
    ...common,
    summary: 'Start, stop or pace the simulation of the building',
    description:
      'The building goes on living as its history did: its observations come in through the ordinary ingest, stamped ' +
      'with the real time. At speed 1 its time is the real one. Nothing is made up for while it stands still. A building ' +
      'that was not generated is a 409.',
    body: SimulationOrder,
    response,
  }
  app.post(
    PATH,
    { config: { ...WRITE, ...RECORD, grows: false, problems: ['CONFLICT'] }, schema: changeSchema },
    async ({ params, body, precondition }) => {
      const record = await changeSimulation(parts, params.buildingId, body, precondition)
      onOrder()
      return record
    },
  )

  const injectSchema = {
    ...common,
    summary: 'Break something in the simulated building',
    description: 'A node that does not fit the fault is a 400, a building that is not simulated a 409.',
    body: Injection,
    response: { 201: { $ref: 'InjectedFault#' } },
  }
  app.post(
    `${PATH}/inject`,
    { config: { ...WRITE, problems: ['CONFLICT'] }, schema: injectSchema },
    async ({ params, body }, reply) => {
      const made = await injectFault(parts, params.buildingId, body)
      onOrder()
      reply.code(201)
      return made
    },
  )

  const mendSchema = {
    ...common,
    summary: 'Mend what was broken before its time is up',
    description: 'Ends an injected fault at once. The points that it affects return to what the model gives.',
    params: InjectionParams,
    body: NoBody,
    response: { 204: Type.Null() },
  }
  const mendConfig = { ...WRITE, noPrecondition: 'an injected fault never changes, and is not read by itself' }
  app.delete(`${PATH}/inject/:injectionId`, { config: mendConfig, schema: mendSchema }, async ({ params }, reply) => {
    await mendFault(parts, params.buildingId, params.injectionId)
    onOrder()
    return reply.code(204).send(null)
  })
}
