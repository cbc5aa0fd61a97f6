import { STEP_MS, STEPS } from './clock.ts'
import type { DayConditions } from './conditions.ts'
import { chanceAt, seedAt, wander } from './noise.ts'
import { type RoomDay, type RoomModel, SETPOINTS } from './rooms.ts'
import { addEvent, type EventBuffer, type Sampling } from './series.ts'

/** What a signal of a room is made from. */
export interface RoomView {
  room: RoomModel
  course: RoomDay
  day: DayConditions
  epochDay: number
}

/** Writes a value for every step of the day. */
type Fill = (out: Float64Array, view: RoomView, seed: number) => void

export interface RoomSignal extends Sampling {
  fill: Fill
  /** For states that change more often than a step: writes the samples themselves. */
  events?: (into: EventBuffer, view: RoomView, seed: number) => void
}

const every5Min = (fill: Fill, noise: number, perUnit: number): RoomSignal => ({
  everySteps: 1,
  noise,
  perUnit,
  least: 0,
  fill,
})
/** A room can be below zero; nothing else that is measured can. */
const celsius = (fill: Fill, noise: number, perUnit: number): RoomSignal => ({ everySteps: 1, noise, perUnit, fill })
const onChange = (fill: Fill, perUnit = 1, words?: readonly string[]): RoomSignal => ({
  everySteps: 0,
  noise: 0,
  perUnit,
  fill,
  ...(words ? { words } : {}),
})

/** One kind of step rule for most signals, so that the loop stands in one place. */
const perStep =
  (value: (view: RoomView, i: number, seed: number) => number): Fill =>
  (out, view, seed) => {
    for (let i = 0; i < STEPS; i++) out[i] = value(view, i, seed)
  }

/** Sensors of one make differ a little from each other. */
const bias = (seed: number, spread: number) => spread * (2 * chanceAt(seed, 9) - 1)

const temperature: Fill = (out, { course }, seed) => {
  const off = bias(seed, 0.15)
  for (let i = 0; i < STEPS; i++) out[i] = course.temperature[i]! + off
}

const co2: Fill = (out, { course }, seed) => {
  const off = bias(seed, 8)
  for (let i = 0; i < STEPS; i++) out[i] = course.co2[i]! + off
}

/** Outdoor moisture brought to room temperature, held in bounds by the air handler. */
const humidity = perStep(({ course, day }, i) => {
  const { outside, humidity: outdoor } = day.weather
  const dewPoint = outside[i]! - (100 - outdoor[i]!) / 5
  const held = 0.45 * dewPoint + 6.2 + (course.co2[i]! - 420) / 700
  return Math.min(68, Math.max(20, 100 - 5 * (course.temperature[i]! - held)))
})

const isOccupied = perStep(({ course }, i) => (course.people[i]! > 0 ? 1 : 0))
const isLit = perStep(({ course }, i) => (course.light[i]! > 0.1 ? 1 : 0))

/** An alarm about once in a few years a device; it lasts for ten minutes to an hour. */
function rareAlarm(out: Float64Array, { epochDay }: RoomView, seed: number): void {
  out.fill(0)
  if (chanceAt(seedAt(seed, 21), epochDay) > 0.001) return
  const from = Math.floor(chanceAt(seedAt(seed, 22), epochDay) * (STEPS - 12))
  const steps = 2 + Math.floor(chanceAt(seedAt(seed, 23), epochDay) * 10)
  out.fill(1, from, from + steps)
}

/** A door opens now and then, for some seconds, more often the more people are about. */
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

/** Exhaust of cars that come and go: most where the number of cars changes. */
const carbonMonoxide = perStep(({ course, day }, i, seed) => {
  const moved = i === 0 ? 0 : Math.abs(course.people[i]! - course.people[i - 1]!)
  return 1.5 + 6 * day.activity[i]! * (0.6 + 0.4 * wander(seed, i / 5)) + 1.5 * moved
})

/** A charger is taken for hours at a time; 0 available, 1 charging, 2 finished. */
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
  ({ room, course }, i) => (course.light[i]! * room.areaSqm * (room.usage === 'public' ? 14 : 8)) / 1000,
)

/** Signals of what stands in rooms, by element type and suffix of the point. Boxes and meters have tables of their own. */
export const roomSignals: Record<string, RoomSignal> = {
  'temperature-sensor/ZNT': celsius(temperature, 0.012, 20),
  'thermostat/ZNT': celsius(temperature, 0.012, 20),
  'thermostat/SP': onChange(heatingSetpoint, 10),
  'co2-sensor/CO2': every5Min(co2, 2, 1),
  'humidity-sensor/RH': every5Min(humidity, 0.3, 10),
  'air-quality-sensor/TVOC': every5Min(
    perStep(({ course }, i, seed) => 90 + (course.co2[i]! - 420) * 0.35 + 25 * wander(seed, i / 30)),
    5,
    1,
  ),
  'air-quality-sensor/PM25': every5Min(
    perStep(
      ({ course, epochDay }, i, seed) =>
        6 + 3.5 * wander(seed, (epochDay * STEPS + i) / 200) + 0.002 * (course.co2[i]! - 420),
    ),
    0.4,
    10,
  ),
  'occupancy-sensor/OCC': onChange(isOccupied),
  'people-counter/CNT': every5Min(
    perStep(({ course }, i) => course.people[i]!),
    0,
    1,
  ),
  'light-sensor/LUX': every5Min(
    perStep(({ room, course, day }, i) => 4 + 480 * course.light[i]! + day.weather.sun[i]! * room.sunSqm * 40),
    6,
    1,
  ),
  'lighting/LVL': onChange(perStep(({ course }, i) => Math.round(course.light[i]! * 100))),
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
    perStep(({ course }, i) => 12 + 0.3 * course.temperature[i]! - 5),
    0.15,
    10,
  ),
  'split-unit/STS': onChange(
    perStep(({ epochDay }, i, seed) => (wander(seed, (epochDay * STEPS + i) / 9) > -0.35 ? 1 : 0)),
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

/** Signals of a VAV box: its own room leads, the air is that of the whole zone. */
export interface BoxView extends RoomView {
  /** Air to all rooms of the zone, L/s, and how far the damper is open for it. */
  air: Float64Array
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
  least: 0,
  fill,
})

/** What the controller asks of the damper; a stuck one stays elsewhere. */
const damperCommand = ({ room, course, day }: BoxView, i: number): number =>
  day.isOpen[i] === 1
    ? Math.min(100, (100 * (room.minAir + course.cooling[i]! * (room.maxAir - room.minAir))) / room.maxAir)
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
      ({ supplyC, course, day }, i) =>
        (day.isOpen[i] === 1 ? supplyC[i]! : course.temperature[i]! - 0.5) + 13 * course.heating[i]!,
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
    perBoxStep(({ course }, i) => 100 * course.heating[i]!),
    0,
    2,
  ),
  'vav/CLSP': { everySteps: 0, noise: 0, perUnit: 10, fill: coolingSetpoint },
  'vav/HTSP': { everySteps: 0, noise: 0, perUnit: 10, fill: heatingSetpoint },
}
