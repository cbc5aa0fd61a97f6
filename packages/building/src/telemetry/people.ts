import type { Building } from '../building.ts'
import { STEPS } from './clock.ts'
import { dayConditions } from './conditions.ts'
import { roomOf, type TelemetryModel } from './plan.ts'
import { fillPeople } from './presence.ts'
import type { RoomModel } from './rooms.ts'

/** A room that people use. */
export interface OccupiableRoom {
  room: RoomModel
  /** True if people book the room. */
  isMeetingRoom: boolean
}

const MEETING_ROOMS = new Set(['meeting-room', 'phone-booth', 'training-room', 'auditorium'])

/** All rooms that people use, with sensors or without. Parking is left out, because its counters count cars. */
export function occupiableRooms({ spaces }: Building): OccupiableRoom[] {
  return spaces.flatMap((space) => {
    const room = roomOf(space)
    if (room.usage === 'none' || room.usage === 'parking' || room.capacity === 0) return []
    return [{ room, isMeetingRoom: MEETING_ROOMS.has(space.spaceType) }]
  })
}

/**
 * The number of people in each room at each step of a UTC day, room by room. The people counters and occupancy sensors
 * of the rooms derive their values from the same numbers.
 */
export function peopleOfDay(
  { climate }: TelemetryModel,
  rooms: readonly OccupiableRoom[],
  dayStart: number,
): Uint32Array {
  const day = dayConditions(climate, dayStart)
  const people = new Float64Array(STEPS)
  const counts = new Uint32Array(rooms.length * STEPS)
  rooms.forEach(({ room }, i) => {
    fillPeople(room, day, people)
    counts.set(people, i * STEPS)
  })
  return counts
}
