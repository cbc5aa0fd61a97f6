import type { Building } from '../building.ts'
import { STEPS } from './clock.ts'
import { dayConditions } from './conditions.ts'
import { roomOf, type TelemetryModel } from './plan.ts'
import { fillPeople } from './presence.ts'
import type { RoomModel } from './rooms.ts'

/** A room that people come to. */
export interface PeopledRoom {
  room: RoomModel
  /** Where people meet by appointment. */
  isMeetingRoom: boolean
}

const MEETING_ROOMS = new Set(['meeting-room', 'phone-booth', 'training-room', 'auditorium'])

/** All of them, measured or not. What is counted in a car park are cars. */
export function peopledRooms({ spaces }: Building): PeopledRoom[] {
  return spaces.flatMap((space) => {
    const room = roomOf(space)
    if (room.usage === 'none' || room.usage === 'parking' || room.capacity === 0) return []
    return [{ room, isMeetingRoom: MEETING_ROOMS.has(space.spaceType) }]
  })
}

/** People in each room at each step of a UTC day, a room after the other: the same that the sensors count. */
export function peopleOfDay({ climate }: TelemetryModel, rooms: readonly PeopledRoom[], dayStart: number): Uint16Array {
  const day = dayConditions(climate, dayStart)
  const people = new Float64Array(STEPS)
  const counts = new Uint16Array(rooms.length * STEPS)
  rooms.forEach(({ room }, i) => {
    fillPeople(room, day, people)
    counts.set(people, i * STEPS)
  })
  return counts
}
