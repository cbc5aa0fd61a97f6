import { STEPS } from './clock.ts'
import type { DayConditions } from './conditions.ts'
import { chanceAt, seedAt } from './noise.ts'

/** How people use a room over the day. */
export type Usage = 'work' | 'meeting' | 'public' | 'transit' | 'parking' | 'none'

export const USAGE: Record<string, Usage> = {
  'open-office': 'work',
  'private-office': 'work',
  'shared-office': 'work',
  'management-office': 'work',
  'security-room': 'work',
  reception: 'work',
  'meeting-room': 'meeting',
  'phone-booth': 'meeting',
  'training-room': 'meeting',
  auditorium: 'meeting',
  cafeteria: 'public',
  'break-room': 'meeting',
  kitchen: 'meeting',
  lobby: 'public',
  concourse: 'public',
  atrium: 'public',
  'food-court': 'public',
  shop: 'public',
  'anchor-store': 'public',
  restaurant: 'public',
  corridor: 'transit',
  'lift-lobby': 'transit',
  stair: 'transit',
  toilet: 'transit',
  'copy-room': 'transit',
  parking: 'parking',
}

/** The properties of a room that decide how many people are in it. */
interface Occupied {
  seed: number
  usage: Usage
  capacity: number
}

/**
 * After how many steps a room gets new random numbers, by its usage. The random numbers and the time of day decide how
 * many people are in the room.
 */
const STAY_STEPS = { work: 15, meeting: 12, public: 6, transit: 1, parking: 12, none: STEPS }

/** Writes the number of people in a room at each step to `people`. */
export function fillPeople(room: Occupied, day: DayConditions, people: Float64Array): void {
  const { usage, capacity } = room
  if (usage === 'none' || capacity === 0) {
    people.fill(0)
    return
  }
  const stay = STAY_STEPS[usage]
  const phase = usage === 'work' ? Math.floor(chanceAt(room.seed, 5) * stay) : 0
  const drawSeed = seedAt(room.seed, 6)
  const crowdSeed = seedAt(room.seed, 7)
  for (let i = 0; i < STEPS; i++) {
    const at = (day.dayStartMs / 300_000 + i + phase) / stay
    const index = Math.floor(at)
    const draw = chanceAt(drawSeed, index)
    const share = day.share[i]!
    let present: number
    if (usage === 'meeting') {
      // A meeting room is booked or empty. In a booked one, 35 to 90 percent of the seats are taken.
      present =
        day.isOpen[i] === 1 && draw < share * 0.75
          ? Math.ceil(capacity * (0.35 + 0.55 * chanceAt(crowdSeed, index)))
          : 0
    } else if (usage === 'transit') {
      present = Math.floor(capacity * share * 0.5 + draw * 0.95)
    } else {
      const part = at - index
      const crowd = chanceAt(crowdSeed, index) * (1 - part) + chanceAt(crowdSeed, index + 1) * part
      present = Math.floor(capacity * share * (0.82 + 0.36 * crowd) + (share > 0.001 ? draw : 0))
    }
    people[i] = Math.min(present, capacity)
  }
}

/**
 * Shops, other public spaces and parking are fully lit while the building is in use, and dimly lit otherwise. All other
 * rooms are lit while people are in them, and for ten minutes afterwards.
 */
export function fillLight({ usage }: Occupied, day: DayConditions, people: Float64Array, light: Float64Array): void {
  const byPresence = usage === 'work' || usage === 'meeting' || usage === 'transit' || usage === 'none'
  let hold = 0
  for (let i = 0; i < STEPS; i++) {
    if (byPresence) {
      hold = people[i]! > 0 ? 3 : hold - 1
      light[i] = hold > 0 ? 0.85 : 0
    } else light[i] = day.activity[i]! > 0.12 ? 0.9 : 0.08
  }
}
