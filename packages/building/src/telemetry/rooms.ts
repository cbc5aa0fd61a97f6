import type { Space } from '../building.ts'
import { isConditioned } from '../equipment/device-priorities.ts'
import { STEPS } from './clock.ts'
import type { DayConditions } from './conditions.ts'
import { chanceAt, seedAt, smoothNoise } from './noise.ts'
import { fillLight, fillPeople, USAGE, type Usage } from './presence.ts'

const OUTSIDE_PPM = 420
/** The CO₂ that a person exhales, in ppm·L/s: 0.005 L/s of pure CO₂. */
const PERSON_PPM_LITRES = 5000
const PERSON_WATTS = 100
const STEP_HOURS = 1 / 12
const STEP_SECONDS = 300
/** Heat that a square metre of room, with its furniture and walls, stores per kelvin. */
const WATT_HOURS_PER_KELVIN_SQM = 40
/** The time constant with which an empty room approaches its equilibrium temperature. */
const RELAX_HOURS = 4

export const SETPOINTS = { heating: { open: 21.1, closed: 15.6 }, cooling: { open: 22.8, closed: 25 } }

export interface RoomModel {
  space: Space
  seed: number
  usage: Usage
  isConditioned: boolean
  capacity: number
  areaSqm: number
  volumeLitres: number
  /** The temperature that an empty room approaches without supply air when it is 17 °C outside. */
  equilibriumC: number
  /** How much `equilibriumC` changes for each kelvin by which the air outside is warmer or colder than 17 °C. */
  weatherShare: number
  sunSqm: number
  gainWattsPerSqm: number
  /** The minimum of the supply air while the air handlers run, L/s; `maxAir` is the maximum. */
  minAir: number
  maxAir: number
  outdoorAir: number
  /** How much warmer or cooler the occupants set the thermostat. */
  setpointShift: number
}

/** The state of a room between steps. */
export interface RoomState {
  temperature: number
  co2: number
}

export const createRoomState = (room: RoomModel): RoomState => ({
  temperature: room.equilibriumC,
  co2: OUTSIDE_PPM + 15,
})

export function roomModel(space: Space, seed: number): RoomModel {
  const usage = space.status === 'vacant' ? 'none' : (USAGE[space.spaceType] ?? 'none')
  const conditioned = isConditioned(space)
  const { areaSqm } = space
  const heightM = usage === 'public' ? 4.2 : 2.8
  const people = usage === 'parking' ? 0 : space.capacity
  const exposure = chanceAt(seed, 1)
  const equilibrium = EQUILIBRIUM_TEMPERATURES[space.spaceType] ?? (conditioned ? 21.3 : 20)
  const outdoorAir = 0.3 * areaSqm + 5.6 * people
  return {
    space,
    seed,
    usage,
    isConditioned: conditioned,
    capacity: usage === 'transit' ? Math.max(1, Math.round(areaSqm / 12)) : space.capacity,
    areaSqm,
    volumeLitres: areaSqm * heightM * 1000,
    equilibriumC: equilibrium + 0.6 * (chanceAt(seed, 2) - 0.5),
    weatherShare: usage === 'parking' ? 0.4 : 0.04 + 0.1 * exposure,
    sunSqm: conditioned ? Math.max(0, 0.07 * chanceAt(seed, 3) - 0.02) : 0,
    gainWattsPerSqm: usage === 'none' || usage === 'parking' ? 1 : 9 + 20 * chanceAt(seed, 8),
    minAir: Math.max(outdoorAir * 1.2, 0.5 * areaSqm),
    maxAir: Math.max(outdoorAir * 2.2, 4 * areaSqm),
    outdoorAir,
    setpointShift: 2.3 * (chanceAt(seed, 4) - 0.5),
  }
}

/** The equilibrium temperature of rooms that are heated by their own machines, or not at all. */
const EQUILIBRIUM_TEMPERATURES: Record<string, number> = {
  'server-room': 22,
  'plant-room': 24,
  'electrical-room': 23,
  'telecom-room': 23,
  parking: 13,
  'parking-aisle': 13,
  ramp: 10,
  'loading-dock': 15,
  stair: 18.5,
}

/** The values of a room at each step of a day. */
export interface RoomDay {
  people: Float64Array
  temperature: Float64Array
  co2: Float64Array
  /** The share of full cooling that the room requests. */
  cooling: Float64Array
  /** The share of full heating that is in use. */
  heating: Float64Array
  /** Supply air, L/s. */
  air: Float64Array
  /** Share of the lights that are on. */
  light: Float64Array
}

export function createRoomDay(): RoomDay {
  const perStep = () => new Float64Array(STEPS)
  return {
    people: perStep(),
    temperature: perStep(),
    co2: perStep(),
    cooling: perStep(),
    heating: perStep(),
    air: perStep(),
    light: perStep(),
  }
}

/**
 * Simulates a room over a day. CO₂ is a mass balance. Temperature is a first-order model: it approaches the equilibrium
 * temperature, gains heat from people, lights and sun, and is controlled by proportional heating and cooling. After a
 * day the initial values hardly matter, so two days of warm-up give nearly the same values as a longer run.
 */
export function stepRoom(
  room: RoomModel,
  state: RoomState,
  day: DayConditions,
  out: RoomDay,
  stuckDamper: StuckDamper | null,
): void {
  fillPeople(room, day, out.people)
  fillLight(room, day, out.people, out.light)
  const { outside, outsideMean, sun } = day.weather
  const { minAir, maxAir, volumeLitres, areaSqm } = room
  const perKelvin = areaSqm * WATT_HOURS_PER_KELVIN_SQM
  const comfortSeed = seedAt(room.seed, 10)
  const firstHour = day.dayStartMs / 3_600_000
  const leak = (volumeLitres * 0.15) / 3600
  const secondsPerLitre = STEP_SECONDS / volumeLitres
  let { temperature, co2 } = state
  for (let i = 0; i < STEPS; i++) {
    const isOpen = day.isOpen[i] === 1
    const people = room.usage === 'parking' ? 0 : out.people[i]!
    // Occupants change the thermostat a little during the day.
    const shift = room.setpointShift + 0.45 * smoothNoise(comfortSeed, (firstHour + i / 12) / 5)
    let air = 0
    let cooling = 0
    let heating = 0
    let demand = 0
    if (room.isConditioned) {
      const heatBelow = (isOpen ? SETPOINTS.heating.open : SETPOINTS.heating.closed) + shift
      heating = Math.min(1, Math.max(0, (heatBelow + 0.35 - temperature) / 1.2))
    }
    if (room.isConditioned && isOpen) {
      const coolAbove = SETPOINTS.cooling.open + shift
      demand = Math.min(1, Math.max(0, (temperature - coolAbove + 0.3) / 1.1))
      const opening = stuckDamper === null ? Number.NaN : stuckDamper[i]!
      air = Number.isNaN(opening) ? minAir + demand * (maxAir - minAir) : opening * maxAir
      cooling = Math.min(1, Math.max(0, (air - minAir) / (maxAir - minAir)))
    }
    out.cooling[i] = demand
    const equilibrium = room.equilibriumC + room.weatherShare * (0.7 * outsideMean[i]! + 0.3 * outside[i]! - 17)
    const gains =
      (people * PERSON_WATTS + areaSqm * (room.gainWattsPerSqm * out.light[i]! + room.sunSqm * sun[i]!)) / perKelvin
    out.temperature[i] = temperature
    out.co2[i] = co2
    out.air[i] = air
    out.heating[i] = heating
    // Unless it is cold outside, even the minimum air flow cools a room: the warmer the day, the colder the supply air.
    const chill = air > 0 ? Math.min(0.5, Math.max(0, 0.025 * (outsideMean[i]! - 2))) : 0
    temperature +=
      STEP_HOURS * ((equilibrium - temperature) / RELAX_HOURS + gains - chill - 2.6 * cooling + 4 * heating)
    const fresh =
      leak + (isOpen && room.isConditioned ? Math.max(room.outdoorAir * Math.min(1, air / minAir), 0.3 * air) : 0)
    co2 = (co2 + secondsPerLitre * (people * PERSON_PPM_LITRES + fresh * OUTSIDE_PPM)) / (1 + secondsPerLitre * fresh)
  }
  state.temperature = temperature
  state.co2 = co2
}

/** The opening of a damper at each step at which it is stuck, from 0 to 1; NaN at the other steps. */
export type StuckDamper = Float64Array
