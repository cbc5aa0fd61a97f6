import Type, { type Static } from 'typebox'
import { Nullable } from './lists.ts'
import { Timestamp } from './timestamps.ts'

/** The prefix of every NATS subject and of every MQTT topic for telemetry. */
export const BUS_PREFIX = 'svc'

/** Events that webhooks can subscribe to. The last two are reserved: nothing publishes them yet. */
export const WEBHOOK_EVENTS = [
  'building.point.updated',
  'building.alarm.triggered',
  'building.element.status_changed',
  'building.changeset.applied',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export const WIFI_EVENTS = [
  'wifi-sensing.event',
  'wifi-sensing.occupancy.changed',
  'wifi-sensing.hvac.presence',
  'wifi-sensing.meeting.lifecycle',
] as const

/** Events of the live channel. */
export const LIVE_EVENTS = [...WEBHOOK_EVENTS, ...WIFI_EVENTS] as const
export type LiveEvent = (typeof LIVE_EVENTS)[number]

/** Events that the bus carries, but not the live channel and not webhooks. */
export const INTERNAL_EVENTS = [
  'building.fault.created',
  'service-desk.ticket.created',
  'service-desk.ticket.updated',
  'service-desk.ticket.sla_warning',
  'service-desk.ticket.sla_breached',
  'cafm.work-order.created',
  'cafm.work-order.updated',
  'cafm.work-order.completed',
] as const

export type EventName = LiveEvent | (typeof INTERNAL_EVENTS)[number]
export const EVENT_NAMES: readonly EventName[] = [...LIVE_EVENTS, ...INTERNAL_EVENTS]

/**
 * The event that reports to all replicas of a stack (processes that serve the same sandbox) which kinds of data
 * changed. It is not part of the interface, because clients get the same notice from the namespace `/changes`.
 */
export const STACK_CHANGED = 'stack.data.changed'
export const StackChanged = Type.Object({ kinds: Type.Array(Type.String(), { maxItems: 100 }) })
export type BusEventName = EventName | typeof STACK_CHANGED

const BUILDING_SUBJECTS = `${BUS_PREFIX}.building.`

/** The subject on NATS of an event of a building: `{prefix}.building.{buildingId}.{name}`. */
export const busSubject = (buildingId: string, name: BusEventName): string =>
  `${BUILDING_SUBJECTS}${buildingId}.${name}`

/** A wildcard for all events of a building. */
export const busSubjectsOf = (buildingId: string): string => `${BUILDING_SUBJECTS}${buildingId}.>`

/** The parts of a subject of `busSubjectsOf`. The id of a building contains no dots, but the name of an event does. */
export function readBusSubject(subject: string): { buildingId: string; name: string } {
  const [buildingId = '', ...name] = subject.slice(BUILDING_SUBJECTS.length).split('.')
  return { buildingId, name: name.join('.') }
}

/**
 * The fields of `building.point.updated`. An ingest publishes one such event, or several if it has more than
 * `LIMITS.observation.perEvent` observations.
 */
export const PointUpdated = Type.Object({
  buildingId: Type.String(),
  observations: Type.Array(
    Type.Object({
      pointId: Type.String(),
      elementId: Type.String(),
      value: Type.String(),
      timestamp: Timestamp,
      source: Nullable(Type.String()),
    }),
  ),
})
export type PointUpdated = Static<typeof PointUpdated>

export const AlarmTriggered = Type.Object({
  buildingId: Type.String(),
  alarmId: Type.String(),
  faultId: Type.String(),
  severity: Type.String(),
  title: Type.String(),
  pointId: Nullable(Type.String()),
  elementId: Nullable(Type.String()),
  value: Nullable(Type.String()),
  triggeredAt: Timestamp,
})
export type AlarmTriggered = Static<typeof AlarmTriggered>

export const FaultCreated = Type.Object({
  faultId: Type.String(),
  buildingId: Type.String(),
  severity: Type.String(),
  title: Type.String(),
  detectedAt: Timestamp,
  elementId: Type.Optional(Type.String()),
  pointId: Type.Optional(Type.String()),
})
export type FaultCreated = Static<typeof FaultCreated>
