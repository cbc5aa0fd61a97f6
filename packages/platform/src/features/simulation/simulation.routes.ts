import {
  BuildingParams,
  InjectedRecord,
  Injection,
  InjectionParams,
  NoBody,
  NoQuery,
  SimulationCommand,
  SimulationRecord,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { BY_VERSION, type HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import { changeSimulation } from './change-simulation.ts'
import { endInjectedFault } from './end-fault.ts'
import { injectFault } from './inject-fault.ts'
import { readSimulationRecord } from './read-simulation.ts'

const READ = { access: 'building.graph:read' }
const WRITE = { access: 'building.simulation:write' }
const RECORD = { record: BY_VERSION }
const PATH = '/api/v1/buildings/:buildingId/simulation'
const common = { tags: ['Simulation'], params: BuildingParams, querystring: NoQuery }
const response = { 200: { $ref: 'Simulation#' } }

/** `onCommand` is called after each committed change: a command, an injected fault, or the end of an injected fault. */
export function simulationRoutes(app: HttpApp, db: Database, clock: Clock, onCommand: () => void): void {
  const parts = { db, clock }
  app.addSchema(InjectedRecord)
  app.addSchema(SimulationRecord)

  const readSchema = {
    ...common,
    summary: 'Read the state of the simulation',
    description: 'Returns whether the simulation runs, at which speed, and the faults that are injected into it.',
    response,
  }
  app.get(PATH, { config: { ...READ, ...RECORD }, schema: readSchema }, ({ params }) =>
    readSimulationRecord(parts, params.buildingId),
  )

  const changeSchema = {
    ...common,
    summary: 'Start or stop the simulation of the building, or change its speed',
    description:
      'The simulation continues the history of the building: its observations are stored by the same ingest as those of clients, with real ' +
      'timestamps. At speed 1 simulated time is real time. Time that passes while the simulation is stopped is skipped. ' +
      'A building that was not generated is refused with 409.',
    body: SimulationCommand,
    response,
  }
  app.post(
    PATH,
    { config: { ...WRITE, ...RECORD, grows: false, problems: ['CONFLICT'] }, schema: changeSchema },
    async ({ params, body, precondition }) => {
      const record = await changeSimulation(parts, params.buildingId, body, precondition)
      onCommand()
      return record
    },
  )

  const injectSchema = {
    ...common,
    summary: 'Inject a fault into the simulated building',
    description:
      'A node that is not suitable for the fault is refused with 400, and a building that is not simulated with 409.',
    body: Injection,
    response: { 201: { $ref: 'InjectedFault#' } },
  }
  app.post(
    `${PATH}/inject`,
    { config: { ...WRITE, problems: ['CONFLICT'] }, schema: injectSchema },
    async ({ params, body }, reply) => {
      const created = await injectFault(parts, params.buildingId, body)
      onCommand()
      reply.code(201)
      return created
    },
  )

  const endSchema = {
    ...common,
    summary: 'End an injected fault early',
    description: 'Ends an injected fault immediately. The points that it affects return to the values of the model.',
    params: InjectionParams,
    body: NoBody,
    response: { 204: Type.Null() },
  }
  const endConfig = { ...WRITE, noPrecondition: 'an injected fault can only be ended, and cannot be read by itself' }
  app.delete(`${PATH}/inject/:injectionId`, { config: endConfig, schema: endSchema }, async ({ params }, reply) => {
    await endInjectedFault(parts, params.buildingId, params.injectionId)
    onCommand()
    return reply.code(204).send(null)
  })
}
