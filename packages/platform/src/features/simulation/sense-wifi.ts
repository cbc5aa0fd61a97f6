import { nodeId, STEP_MS, STEPS } from '@storey/building'
import {
  type HvacPresence,
  type MeetingLifecycle,
  type OccupancyChanged,
  WIFI_EVENTS,
  type WifiSensed,
} from '@storey/contract'
import type { Bus } from '../../bus/index.ts'
import type { Outline } from './messages.ts'
import type { SimulatedRoom } from './simulated-nodes.ts'

/** The maximum number of room changes, and of readings, per second of real time, at any speed of the simulation. */
const MAX_PER_SECOND = 20
/**
 * About how often each room has a reading (`wifi-sensing.event`), in real time. In a building with many rooms readings
 * are less frequent, because of MAX_PER_SECOND.
 */
const READ_EVERY_MS = 60_000

/** People in each room at each step of a UTC day, and of the day before. */
export interface People {
  dayStart: number
  today: Uint32Array
  before: Uint32Array
}

export interface Instant {
  simulatedMs: number
  realMs: number
  people: People
  /** The rooms that still exist, by their numbers in the model. */
  rooms: readonly (SimulatedRoom | undefined)[]
}

/**
 * The events of Wi-Fi sensing (access points that count people and devices), for the people of the model. A room that
 * changes while it waits for its event is reported with its latest count, so that no queue builds up.
 */
export function createWifiSensing(bus: Bus, buildingId: string, outline: Outline['rooms']) {
  const size = outline.length
  let reported: Int32Array | undefined
  let lastRealMs = Number.NaN
  let changes = budget()
  let readings = budget()
  let nextChange = 0
  let nextReading = 0

  return (instant: Instant): void => {
    if (!WIFI_EVENTS.some((name) => bus.hasSubscribers(name))) {
      reported = undefined
      return
    }
    const passedMs = Math.min(1000, Math.max(0, instant.realMs - lastRealMs || 0))
    lastRealMs = instant.realMs
    if (reported === undefined) {
      reported = Int32Array.from(outline, (_, room) => countAt(instant.people, room, noticedAt(instant, room)))
      changes = budget()
      readings = budget()
    }
    changes.earn((MAX_PER_SECOND * passedMs) / 1000)
    readings.earn(Math.min((MAX_PER_SECOND * passedMs) / 1000, (size * passedMs) / READ_EVERY_MS))
    publishChanges(instant, reported)
    publishReadings(instant)
  }

  function publishChanges(instant: Instant, reported: Int32Array): void {
    const first = nextChange
    for (let i = 0; i < size; i++) {
      const room = (first + i) % size
      const count = countAt(instant.people, room, noticedAt(instant, room))
      const known = instant.rooms[room]
      if (count === reported[room] || known === undefined) continue
      nextChange = room
      if (!changes.spend()) return
      publishChange(instant, room, known, reported[room]!, count)
      reported[room] = count
    }
  }

  function publishChange(
    instant: Instant,
    room: number,
    known: SimulatedRoom,
    previousCount: number,
    count: number,
  ): void {
    const { isConditioned, isMeetingRoom } = outline[room]!
    const about = { buildingId, spaceId: known.id, occurredAt: new Date(instant.realMs).toISOString() }
    const changed: OccupancyChanged = { ...about, previousCount, count, capacity: known.capacity }
    bus.publish(buildingId, 'wifi-sensing.occupancy.changed', () => changed)
    const present = count > 0
    if (present === previousCount > 0) return
    if (isConditioned)
      bus.publish(buildingId, 'wifi-sensing.hvac.presence', (): HvacPresence => ({ ...about, present }))
    if (!isMeetingRoom) return
    bus.publish(buildingId, 'wifi-sensing.meeting.lifecycle', (): MeetingLifecycle => {
      const startedMs = meetingStart(instant.people, room, noticedAt(instant, room))
      const meetingId = nodeId('meeting', `${outline[room]!.globalId}/${startedMs}`)
      return { ...about, meetingId, phase: present ? 'started' : 'ended', count }
    })
  }

  function publishReadings({ people, rooms, realMs, simulatedMs }: Instant): void {
    for (let i = 0; i < size && readings.spend(); i++) {
      const room = nextReading
      nextReading = (nextReading + 1) % size
      const known = rooms[room]
      if (known === undefined) continue
      bus.publish(buildingId, 'wifi-sensing.event', (): WifiSensed => {
        // Some people have a second device, in some rooms more than in others.
        const deviceCount = Math.round(countAt(people, room, simulatedMs) * (1.1 + (room % 5) / 10))
        return { buildingId, spaceId: known.id, occurredAt: new Date(realMs).toISOString(), deviceCount }
      })
    }
  }
}

/** A budget of events that grows with time, up to the events of one second. */
function budget() {
  let left = 0
  return {
    earn(count: number): void {
      left = Math.min(MAX_PER_SECOND, left + count)
    },
    spend(): boolean {
      if (left < 1) return false
      left--
      return true
    },
  }
}

/** Rooms change at the steps of the model. A change is noticed up to a step later, so that events are spread out. */
const noticedAt = ({ simulatedMs }: Instant, room: number) => simulatedMs - ((room * 37) % 300) * 1000

function countAt({ dayStart, today, before }: People, room: number, atMs: number): number {
  const step = Math.floor((atMs - dayStart) / STEP_MS)
  return step >= 0 ? today[room * STEPS + step]! : before[room * STEPS + STEPS + step]!
}

/** When the current meeting, or else the last one before `atMs`, began. The search goes back to the previous day. */
function meetingStart(people: People, room: number, atMs: number): number {
  const first = people.dayStart - (STEPS - 1) * STEP_MS
  let at = Math.floor(atMs / STEP_MS) * STEP_MS
  while (at > first && countAt(people, room, at) === 0) at -= STEP_MS
  while (at > first && countAt(people, room, at - STEP_MS) > 0) at -= STEP_MS
  return at
}
