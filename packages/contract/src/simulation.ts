import Type, { type Static } from 'typebox'
import { closed, NodeId } from './graph/queries.ts'
import { Uuid } from './graph/records.ts'
import { LIMITS } from './limits.ts'
import { Nullable, Timestamp } from './lists.ts'

export const SIMULATED_FAULTS = ['stuck-damper', 'drifting-sensor', 'silent-gateway'] as const
export type SimulatedFault = (typeof SIMULATED_FAULTS)[number]

export const SimulationOrder = Type.Object(
  {
    running: Type.Optional(Type.Boolean()),
    speed: Type.Optional(
      Type.Number({
        minimum: LIMITS.simulation.speed.min,
        maximum: LIMITS.simulation.speed.max,
        description: 'How many times faster than the clock the building lives; its observations bear the real time',
      }),
    ),
  },
  { ...closed, minProperties: 1 },
)
export type SimulationOrder = Static<typeof SimulationOrder>

const Injected = Type.Object({
  id: Uuid,
  fault: Type.Enum([...SIMULATED_FAULTS]),
  nodeId: Uuid,
  startsAt: Timestamp,
  endsAt: Timestamp,
})

export const SimulationRecord = Type.Object(
  {
    running: Type.Boolean(),
    speed: Type.Number(),
    startedAt: Nullable(Timestamp),
    simulatedAt: Nullable(Type.String({ format: 'date-time', description: 'The time in the simulated building' })),
    faults: Type.Array(Injected, { description: 'Injected and not over' }),
  },
  { $id: 'Simulation' },
)
export type SimulationRecord = Static<typeof SimulationRecord>

export const Injection = Type.Object(
  {
    fault: Type.Enum([...SIMULATED_FAULTS]),
    nodeId: NodeId,
    minutes: Type.Integer({ minimum: 1, maximum: LIMITS.simulation.faultMinutes, description: 'In simulated time' }),
  },
  closed,
)
export type Injection = Static<typeof Injection>
export const InjectedRecord = Injected
export type InjectedRecord = Static<typeof InjectedRecord>

const about = { buildingId: Type.String(), spaceId: Type.String(), occurredAt: Timestamp }
/** The fields of the four wifi-sensing events. */
export const WifiSensed = Type.Object({
  ...about,
  deviceCount: Type.Integer({ minimum: 0, description: 'Devices that the access points see in the room' }),
})
export const OccupancyChanged = Type.Object({
  ...about,
  previousCount: Type.Integer({ minimum: 0 }),
  count: Type.Integer({ minimum: 0 }),
  capacity: Nullable(Type.Integer({ minimum: 0 })),
})
export const HvacPresence = Type.Object({ ...about, present: Type.Boolean() })
export const MeetingLifecycle = Type.Object({
  ...about,
  meetingId: Type.String(),
  phase: Type.Enum(['started', 'ended']),
  count: Type.Integer({ minimum: 0 }),
})
