import { nodeId, STEP_MS, STEPS } from '@storey/building'
import {
  type HvacPresence,
  type MeetingLifecycle,
  type OccupancyChanged,
  WIFI_EVENTS,
  type WifiSensed,
} from '@storey/contract'
import type { Bus } from '../../bus/index.ts'
import type { LivingRoom } from './living-nodes.ts'
import type { Outline } from './messages.ts'

/** However fast the building lives, so many rooms a second tell of a change, and so many are read. */
const MOST_A_SECOND = 20
/** Each room is read about so often, in real time. */
const READ_EVERY_MS = 60_000

/** People in each room at each step, of a UTC day and the one before. */
export interface People {
  dayStart: number
  today: Uint16Array
  before: Uint16Array
}

export interface Moment {
  simulatedMs: number
  realMs: number
  people: People
  /** Those there still are, by the numbers of the model. */
  rooms: readonly (LivingRoom | undefined)[]
}

/**
 * What access points would make of the people the model has. A room that changes while others are waiting to be told
 * of is told of with its latest count, so nothing piles up.
 */
export function createWifiSensing(bus: Bus, buildingId: string, outline: Outline['rooms']) {
  const size = outline.length
  let told: Int32Array | undefined
  let lastRealMs = Number.NaN
  let changes = budget()
  let readings = budget()
  let nextChange = 0
  let nextReading = 0

  return (moment: Moment): void => {
    if (!WIFI_EVENTS.some((name) => bus.hears(name))) {
      told = undefined
      return
    }
    const passedMs = Math.min(1000, Math.max(0, moment.realMs - lastRealMs || 0))
    lastRealMs = moment.realMs
    if (told === undefined) {
      told = Int32Array.from(outline, (_, room) => countAt(moment.people, room, seenAt(moment, room)))
      changes = budget()
      readings = budget()
    }
    changes.earn((MOST_A_SECOND * passedMs) / 1000)
    readings.earn(Math.min((MOST_A_SECOND * passedMs) / 1000, (size * passedMs) / READ_EVERY_MS))
    tellChanges(moment, told)
    tellReadings(moment)
  }

  function tellChanges(moment: Moment, told: Int32Array): void {
    const first = nextChange
    for (let i = 0; i < size; i++) {
      const room = (first + i) % size
      const count = countAt(moment.people, room, seenAt(moment, room))
      const known = moment.rooms[room]
      if (count === told[room] || known === undefined) continue
      nextChange = room
      if (!changes.spend()) return
      tellChange(moment, room, known, told[room]!, count)
      told[room] = count
    }
  }

  function tellChange(moment: Moment, room: number, known: LivingRoom, previousCount: number, count: number): void {
    const { isConditioned, isMeetingRoom } = outline[room]!
    const about = { buildingId, spaceId: known.id, occurredAt: new Date(moment.realMs).toISOString() }
    const changed: OccupancyChanged = { ...about, previousCount, count, capacity: known.capacity }
    bus.publish(buildingId, 'wifi-sensing.occupancy.changed', () => changed)
    const present = count > 0
    if (present === previousCount > 0) return
    if (isConditioned)
      bus.publish(buildingId, 'wifi-sensing.hvac.presence', (): HvacPresence => ({ ...about, present }))
    if (!isMeetingRoom) return
    bus.publish(buildingId, 'wifi-sensing.meeting.lifecycle', (): MeetingLifecycle => {
      const startedMs = meetingStart(moment.people, room, seenAt(moment, room))
      const meetingId = nodeId('meeting', `${outline[room]!.globalId}/${startedMs}`)
      return { ...about, meetingId, phase: present ? 'started' : 'ended', count }
    })
  }

  function tellReadings({ people, rooms, realMs, simulatedMs }: Moment): void {
    for (let i = 0; i < size && readings.spend(); i++) {
      const room = nextReading
      nextReading = (nextReading + 1) % size
      const known = rooms[room]
      if (known === undefined) continue
      bus.publish(buildingId, 'wifi-sensing.event', (): WifiSensed => {
        // Some carry a second device, in some rooms more often than in others.
        const deviceCount = Math.round(countAt(people, room, simulatedMs) * (1.1 + (room % 5) / 10))
        return { buildingId, spaceId: known.id, occurredAt: new Date(realMs).toISOString(), deviceCount }
      })
    }
  }
}

/** At most a second's worth is kept, however long nothing happened. */
function budget() {
  let left = 0
  return {
    earn(count: number): void {
      left = Math.min(MOST_A_SECOND, left + count)
    },
    spend(): boolean {
      if (left < 1) return false
      left--
      return true
    },
  }
}

/** Rooms change with the steps of the model; each is noticed some seconds into the step, so that they spread. */
const seenAt = ({ simulatedMs }: Moment, room: number) => simulatedMs - ((room * 37) % 300) * 1000

function countAt({ dayStart, today, before }: People, room: number, atMs: number): number {
  const step = Math.floor((atMs - dayStart) / STEP_MS)
  return step >= 0 ? today[room * STEPS + step]! : before[room * STEPS + STEPS + step]!
}

/** When the meeting began that goes on at an instant, or was the last before it; at most a day and a half ago. */
function meetingStart(people: People, room: number, atMs: number): number {
  const first = people.dayStart - (STEPS - 1) * STEP_MS
  let at = Math.floor(atMs / STEP_MS) * STEP_MS
  while (at > first && countAt(people, room, at) === 0) at -= STEP_MS
  while (at > first && countAt(people, room, at - STEP_MS) > 0) at -= STEP_MS
  return at
}
