import { STEP_MS, STEPS } from './clock.ts'
import type { DayConditions } from './conditions.ts'
import { chanceAt, seedAt, smoothNoise } from './noise.ts'
import { type RoomDay, type RoomModel, SETPOINTS } from './rooms.ts'
import { addEvent, type EventBuffer, type Sampling } from './series.ts'

/** The input of the signals of a room. */
export interface RoomView {
  room: RoomModel
  roomDay: RoomDay
  day: DayConditions
  epochDay: number
}

/** Writes a value for every step of the day. */
type Fill = (out: Float64Array, view: RoomView, seed: number) => void

export interface RoomSignal extends Sampling {
  fill: Fill
  /** Called instead of `fill`, for states that may change several times per step. Writes samples with their times. */
  events?: (into: EventBuffer, view: RoomView, seed: number) => void
}

const every5Min = (fill: Fill, noise: number, perUnit: number): RoomSignal => ({
  everySteps: 1,
  noise,
  perUnit,
  min: 0,
  fill,
})
/** A signal every five minutes without a minimum, because temperatures may be below zero. */
const celsius = (fill: Fill, noise: number, perUnit: number): RoomSignal => ({ everySteps: 1, noise, perUnit, fill })
const onChange = (fill: Fill, perUnit = 1, words?: readonly string[]): RoomSignal => ({
  everySteps: 0,
  noise: 0,
  perUnit,
  fill,
  ...(words ? { words } : {}),
})

/** Creates a fill function from a rule for a single step. */
const perStep =
  (value: (view: RoomView, i: number, seed: number) => number): Fill =>
  (out, view, seed) => {
    for (let i = 0; i < STEPS; i++) out[i] = value(view, i, seed)
  }

/** The constant error of a sensor: two sensors of the same model differ a little. */
const bias = (seed: number, spread: number) => spread * (2 * chanceAt(seed, 9) - 1)

const temperature: Fill = (out, { roomDay }, seed) => {
  const off = bias(seed, 0.15)
  for (let i = 0; i < STEPS; i++) out[i] = roomDay.temperature[i]! + off
}

const co2: Fill = (out, { roomDay }, seed) => {
  const off = bias(seed, 8)
  for (let i = 0; i < STEPS; i++) out[i] = roomDay.co2[i]! + off
}

/** Relative humidity: outdoor moisture at room temperature, kept within bounds by the air handler. */
const humidity = perStep(({ roomDay, day }, i) => {
  const { outside, humidity: outdoor } = day.weather
  const dewPoint = outside[i]! - (100 - outdoor[i]!) / 5
  const held = 0.45 * dewPoint + 6.2 + (roomDay.co2[i]! - 420) / 700
  return Math.min(68, Math.max(20, 100 - 5 * (roomDay.temperature[i]! - held)))
})

const isOccupied = perStep(({ roomDay }, i) => (roomDay.people[i]! > 0 ? 1 : 0))
const isLit = perStep(({ roomDay }, i) => (roomDay.light[i]! > 0.1 ? 1 : 0))

/** An alarm about once in three years per device, for 10 to 55 minutes. */
function rareAlarm(out: Float64Array, { epochDay }: RoomView, seed: number): void {
  out.fill(0)
  if (chanceAt(seedAt(seed, 21), epochDay) > 0.001) return
  const from = Math.floor(chanceAt(seedAt(seed, 22), epochDay) * (STEPS - 12))
  const steps = 2 + Math.floor(chanceAt(seedAt(seed, 23), epochDay) * 10)
  out.fill(1, from, from + steps)
}

/** A door is open for 8 to 67 seconds at a time, and opens more often while more people are in the building. */
function doorEvents(events: EventBuffer, { day, epochDay }: RoomView, seed: number): void {
  addEvent(events, 0, 0)
  const daySeed = seedAt(seed, epochDay)
  for (let i = 0; i < STEPS; i++) {
    if (chanceAt(daySeed, i) > 0.22 * day.activity[i]!) continue
    const opened = i * STEP_MS + 1000 + Math.floor(chanceAt(daySeed, i + 1000) * 200) * 1000
    addEvent(events, opened, 1)
    addEvent(events, opened + 8000 + Math.floor(chanceAt(daySeed, i + 2000) * 60) * 1000, 0)
  }
}

/** Carbon monoxide from cars. It follows the building's activity, and is higher while the number of cars changes. */
const carbonMonoxide = perStep(({ roomDay, day }, i, seed) => {
  const moved = i === 0 ? 0 : Math.abs(roomDay.people[i]! - roomDay.people[i - 1]!)
  return 1.5 + 6 * day.activity[i]! * (0.6 + 0.4 * smoothNoise(seed, i / 5)) + 1.5 * moved
})

/** A charger is occupied for hours at a time. 0: available, 1: charging, 2: finished. */
const chargerState = perStep(({ day, epochDay }, i, seed) => {
  const stay = epochDay * 4 + Math.floor(i / 72)
  if (chanceAt(seed, stay) > 0.35 + 0.5 * day.activity[i]!) return 0
  return i % 72 < 10 + chanceAt(seed, stay + 7919) * 60 ? 1 : 2
})

const chargingPower = perStep(({ day, epochDay }, i, seed) => {
  const stay = epochDay * 4 + Math.floor(i / 72)
  const isTaken = chanceAt(seed, stay) <= 0.35 + 0.5 * day.activity[i]!
  return isTaken && i % 72 < 10 + chanceAt(seed, stay + 7919) * 60 ? 11 : 0
})

const heatingSetpoint = perStep(({ room, day }, i) =>
  round(SETPOINTS.heating[day.isOpen[i] === 1 ? 'open' : 'closed'] + room.setpointShift),
)
const coolingSetpoint = perStep(({ room, day }, i) =>
  round(SETPOINTS.cooling[day.isOpen[i] === 1 ? 'open' : 'closed'] + room.setpointShift),
)
const round = (celsius: number) => Math.round(celsius * 2) / 2

const lightPower = perStep(
  ({ room, roomDay }, i) => (roomDay.light[i]! * room.areaSqm * (room.usage === 'public' ? 14 : 8)) / 1000,
)

/** Signals of equipment in rooms, by element type and point suffix. VAV boxes are below, meters are in counters.ts. */
export const roomSignals: Record<string, RoomSignal> = {
  'temperature-sensor/ZNT': celsius(temperature, 0.012, 20),
  'thermostat/ZNT': celsius(temperature, 0.012, 20),
  'thermostat/SP': onChange(heatingSetpoint, 10),
  'co2-sensor/CO2': every5Min(co2, 2, 1),
  'humidity-sensor/RH': every5Min(humidity, 0.3, 10),
  'air-quality-sensor/TVOC': every5Min(
    perStep(({ roomDay }, i, seed) => 90 + (roomDay.co2[i]! - 420) * 0.35 + 25 * smoothNoise(seed, i / 30)),
    5,
    1,
  ),
  'air-quality-sensor/PM25': every5Min(
    perStep(
      ({ roomDay, epochDay }, i, seed) =>
        6 + 3.5 * smoothNoise(seed, (epochDay * STEPS + i) / 200) + 0.002 * (roomDay.co2[i]! - 420),
    ),
    0.4,
    10,
  ),
  'occupancy-sensor/OCC': onChange(isOccupied),
  'people-counter/CNT': every5Min(
    perStep(({ roomDay }, i) => roomDay.people[i]!),
    0,
    1,
  ),
  'light-sensor/LUX': every5Min(
    perStep(({ room, roomDay, day }, i) => 4 + 480 * roomDay.light[i]! + day.weather.sun[i]! * room.sunSqm * 40),
    6,
    1,
  ),
  'lighting/LVL': onChange(perStep(({ roomDay }, i) => Math.round(roomDay.light[i]! * 100))),
  'lighting/STS': onChange(isLit),
  'lighting/KW': every5Min(lightPower, 0.004, 1000),
  'smoke-detector/ALM': onChange(rareAlarm),
  'leak-detector/ALM': onChange(rareAlarm),
  'contact-sensor/STS': { ...onChange((out) => out.fill(0)), events: doorEvents },
  'exhaust-fan/CMD': onChange(perStep(({ day }, i) => day.isOpen[i]!)),
  'exhaust-fan/STS': onChange(perStep(({ day }, i) => day.isOpen[i]!)),
  'jet-fan/SPD': every5Min(
    perStep(({ day }, i) => (day.activity[i]! > 0.15 ? 30 + 60 * day.activity[i]! : 0)),
    0,
    1,
  ),
  'jet-fan/STS': onChange(perStep(({ day }, i) => (day.activity[i]! > 0.15 ? 1 : 0))),
  'co-sensor/CO': every5Min(carbonMonoxide, 0.3, 10),
  'ev-charger/MODE': onChange(chargerState, 1, ['available', 'charging', 'finished']),
  'ev-charger/KW': every5Min(chargingPower, 0, 10),
  'split-unit/DAT': every5Min(
    perStep(({ roomDay }, i) => 12 + 0.3 * roomDay.temperature[i]! - 5),
    0.15,
    10,
  ),
  'split-unit/STS': onChange(
    perStep(({ epochDay }, i, seed) => (smoothNoise(seed, (epochDay * STEPS + i) / 9) > -0.35 ? 1 : 0)),
  ),
  'split-unit/SP': onChange(
    perStep(() => 22),
    10,
  ),
  'ups/LOAD': every5Min(
    perStep(({ day }, i, seed) => 32 + 10 * chanceAt(seed, 1) + 9 * day.activity[i]!),
    0.5,
    10,
  ),
  'ups/ALM': onChange(rareAlarm),
}

/** The input of the signals of a VAV box. One room controls the box, which supplies air to all rooms of the zone. */
export interface BoxView extends RoomView {
  /** The air flow to all rooms of the zone, L/s. */
  air: Float64Array
  /** The opening of the damper, from 0 to 1. */
  position: Float64Array
  supplyC: Float64Array
}

type BoxFill = (out: Float64Array, view: BoxView, seed: number) => void
export interface BoxSignal extends Sampling {
  fill: BoxFill
}

const perBoxStep =
  (value: (view: BoxView, i: number) => number): BoxFill =>
  (out, view) => {
    for (let i = 0; i < STEPS; i++) out[i] = value(view, i)
  }
const box5Min = (fill: BoxFill, noise: number, perUnit: number): BoxSignal => ({
  everySteps: 1,
  noise,
  perUnit,
  min: 0,
  fill,
})

/** The command of the controller. A stuck damper does not follow the command. */
const damperCommand = ({ room, roomDay, day }: BoxView, i: number): number =>
  day.isOpen[i] === 1
    ? Math.min(100, (100 * (room.minAir + roomDay.cooling[i]! * (room.maxAir - room.minAir))) / room.maxAir)
    : 0

export const boxSignals: Record<string, BoxSignal> = {
  'vav/ZNT': box5Min(temperature, 0.012, 20),
  'vav/SAF': box5Min(
    perBoxStep(({ air }, i) => air[i]!),
    0.8,
    10,
  ),
  'vav/DAT': box5Min(
    perBoxStep(
      ({ supplyC, roomDay, day }, i) =>
        (day.isOpen[i] === 1 ? supplyC[i]! : roomDay.temperature[i]! - 0.5) + 13 * roomDay.heating[i]!,
    ),
    0.12,
    10,
  ),
  'vav/DPR': box5Min(
    perBoxStep(({ position }, i) => 100 * position[i]!),
    0.4,
    2,
  ),
  'vav/DPRC': box5Min(perBoxStep(damperCommand), 0, 2),
  'vav/RHC': box5Min(
    perBoxStep(({ roomDay }, i) => 100 * roomDay.heating[i]!),
    0,
    2,
  ),
  'vav/CLSP': { everySteps: 0, noise: 0, perUnit: 10, fill: coolingSetpoint },
  'vav/HTSP': { everySteps: 0, noise: 0, perUnit: 10, fill: heatingSetpoint },
}
