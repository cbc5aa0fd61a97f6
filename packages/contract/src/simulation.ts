import Type, { type Static } from 'typebox'
import { closed } from './closed.ts'
import { NodeId, pathId, Uuid } from './ids.ts'
import { LIMITS } from './limits.ts'
import { Nullable } from './lists.ts'
import { QUOTAS } from './quotas.ts'
import { Timestamp } from './timestamps.ts'

export const SIMULATED_FAULTS = ['stuck-damper', 'drifting-sensor', 'silent-gateway'] as const
export type SimulatedFault = (typeof SIMULATED_FAULTS)[number]

/** The `source` of observations from the simulator. */
export const SIMULATION_SOURCE = 'simulator'

const { speed, faultMinutes } = LIMITS.simulation
const { limit: faults } = QUOTAS.simulatedFaults

export const SimulationCommand = Type.Object(
  {
    running: Type.Optional(Type.Boolean()),
    speed: Type.Optional(
      Type.Number({
        minimum: speed.min,
        maximum: speed.max,
        description: 'Seconds of simulated time in one second of real time; observations have real timestamps',
      }),
    ),
  },
  { ...closed, minProperties: 1 },
)
export type SimulationCommand = Static<typeof SimulationCommand>

const simulated = (description: string) => Type.String({ format: 'date-time', description })

export const InjectedRecord = Type.Object(
  {
    id: Uuid,
    fault: Type.Enum([...SIMULATED_FAULTS]),
    nodeId: Uuid,
    startsAt: simulated('The start of the fault, in simulated time'),
    endsAt: simulated('The end of the fault, in simulated time'),
  },
  { $id: 'InjectedFault' },
)
export type InjectedRecord = Static<typeof InjectedRecord>

export const SimulationRecord = Type.Object(
  {
    running: Type.Boolean(),
    automatic: Type.Boolean({
      description:
        'True until somebody starts or stops the simulation or sets its speed. An automatic simulation runs while ' +
        'somebody has a page of the console open, and pauses 5 minutes after the last open page was closed',
    }),
    speed: Type.Number(),
    startedAt: Nullable(Timestamp),
    simulatedAt: Nullable(simulated('The time in the simulated building; null if it was never simulated')),
    faults: Type.Array(Type.Ref('InjectedFault'), { description: 'Active injected faults' }),
  },
  { $id: 'Simulation' },
)
export type SimulationRecord = Omit<Static<typeof SimulationRecord>, 'faults'> & { faults: InjectedRecord[] }

export const Injection = Type.Object(
  {
    fault: Type.Enum([...SIMULATED_FAULTS], {
      description:
        'What the node must be depends on the fault. stuck-damper: a damper position point, or an element that has ' +
        'one. drifting-sensor: a SENSOR point, or an element that has one. silent-gateway: an element, a space or a ' +
        'storey, whose points then send nothing',
    }),
    nodeId: NodeId,
    minutes: Type.Integer({
      minimum: 1,
      maximum: faultMinutes,
      description: `The duration in simulated time. At most ${faults} faults are active at a time`,
    }),
  },
  closed,
)
export type Injection = Static<typeof Injection>
export const InjectionParams = Type.Object({
  buildingId: pathId('building'),
  injectionId: pathId('injected fault'),
})

/** The fields that all four wifi-sensing events have. */
const about = { buildingId: Type.String(), spaceId: Type.String(), occurredAt: Timestamp }
const count = Type.Integer({ minimum: 0 })

export const WifiSensed = Type.Object({
  ...about,
  deviceCount: Type.Integer({ minimum: 0, description: 'Devices that the access points see in the room' }),
})
export type WifiSensed = Static<typeof WifiSensed>

export const OccupancyChanged = Type.Object({ ...about, previousCount: count, count, capacity: Nullable(count) })
export type OccupancyChanged = Static<typeof OccupancyChanged>

export const HvacPresence = Type.Object({ ...about, present: Type.Boolean() })
export type HvacPresence = Static<typeof HvacPresence>

export const MeetingLifecycle = Type.Object({
  ...about,
  meetingId: Type.String({ description: 'The id of the meeting, the same in its started event and its ended event' }),
  phase: Type.Enum(['started', 'ended']),
  count,
})
export type MeetingLifecycle = Static<typeof MeetingLifecycle>
