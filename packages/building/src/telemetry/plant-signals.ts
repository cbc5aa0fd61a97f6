import { type AirHandlerDay, filterLoad, MIN_OUTDOOR_SHARE } from './air-handlers.ts'
import { STEP_MS, STEPS } from './clock.ts'
import type { DayConditions } from './conditions.ts'
import { chanceAt, seedAt, smoothNoise } from './noise.ts'
import { addEvent, type EventBuffer, type Sampling } from './series.ts'

/** A day, with the loads of the whole building at each step. The machines must meet these loads. */
export interface PlantDay {
  day: DayConditions
  epochDay: number
  coolingKw: Float64Array
  heatingKw: Float64Array
}

/** A machine of the plant, with the values from which its signals are computed. */
export interface PlantView extends PlantDay {
  elementSeed: number
  /** The index of the machine among the `count` machines of its kind. */
  number: number
  count: number
  /** Full output of one machine, kW. */
  capacityKw: number
  /** The lowest and the highest index of a storey, for lifts. */
  lowest: number
  highest: number
  /** Used by the signals of air handlers only. */
  handler: AirHandlerDay
  handlerAir: Float64Array
}

type Fill = (out: Float64Array, view: PlantView, seed: number) => void

export interface PlantSignal extends Sampling {
  fill: Fill
  events?: (into: EventBuffer, view: PlantView, seed: number) => void
}

const perStep =
  (value: (view: PlantView, i: number, seed: number) => number): Fill =>
  (out, view, seed) => {
    for (let i = 0; i < STEPS; i++) out[i] = value(view, i, seed)
  }
const every15Min = (
  value: (view: PlantView, i: number, seed: number) => number,
  noise: number,
  perUnit: number,
): PlantSignal => ({
  everySteps: 3,
  noise,
  perUnit,
  min: 0,
  fill: perStep(value),
})
const onChange = (
  value: (view: PlantView, i: number, seed: number) => number,
  perUnit = 1,
  words?: readonly string[],
): PlantSignal => ({
  everySteps: 0,
  noise: 0,
  perUnit,
  fill: perStep(value),
  ...(words ? { words } : {}),
})

/** Hours since the epoch. */
const hours = ({ day }: PlantView, i: number) => (day.dayStartMs + i * STEP_MS) / 3_600_000

/**
 * Load of one machine, 0 to 1. As the total load grows, the machines start one after another. Which of them starts
 * first changes every week.
 */
function partLoad(totalKw: number, { number, count, capacityKw, epochDay }: PlantView): number {
  const running = runningMachines(totalKw, capacityKw, count)
  const place = (number + Math.floor(epochDay / 7)) % count
  return place < running ? Math.min(1, totalKw / running / capacityKw) : 0
}

const runningMachines = (totalKw: number, capacityKw: number, count: number) =>
  totalKw < capacityKw * 0.04 ? 0 : Math.min(count, Math.ceil(totalKw / (capacityKw * 0.85)))

const chillerLoad = (view: PlantView, i: number) => partLoad(view.coolingKw[i]!, view)
const boilerLoad = (view: PlantView, i: number) => partLoad(view.heatingKw[i]!, view)
const isRunning = (load: number) => (load > 0 ? 1 : 0)
/** A chiller is most efficient at three quarters of full load. */
const chillerKw = (load: number, capacityKw: number) =>
  (load * capacityKw) / (4.8 - 2.2 * (load - 0.75) * (load - 0.75))
const hotWater = (outsideMean: number) => Math.round(Math.min(70, Math.max(40, 62 - 1.1 * outsideMean)))

const rareAlarm = (chance: number): PlantSignal =>
  onChange(({ epochDay }, i, seed) => {
    if (chanceAt(seedAt(seed, 21), epochDay) > chance) return 0
    const from = Math.floor(chanceAt(seedAt(seed, 22), epochDay) * (STEPS - 30))
    return i >= from && i < from + 20 ? 1 : 0
  })

/** Lifts run more often while more people are present. */
function liftEvents(events: EventBuffer, view: PlantView, seed: number): void {
  addEvent(events, 0, 0)
  const daySeed = seedAt(seed, view.epochDay)
  for (let i = 0; i < STEPS; i++) {
    if (chanceAt(daySeed, i) > 0.05 + 0.5 * view.day.activity[i]!) continue
    const started = i * STEP_MS + 1000 + Math.floor(chanceAt(daySeed, i + 1000) * 200) * 1000
    addEvent(events, started, 1)
    addEvent(events, started + 12_000 + Math.floor(chanceAt(daySeed, i + 2000) * 50) * 1000, 0)
  }
}

const liftPosition = ({ lowest, highest, day, epochDay }: PlantView, i: number, seed: number) =>
  chanceAt(seedAt(seed, epochDay), i) < 0.25 + 0.6 * day.activity[i]!
    ? lowest + Math.floor(chanceAt(seedAt(seed, epochDay + 7), i) * (highest - lowest + 1))
    : 0

/** The fire panel is tested on Monday mornings. */
const isPanelTest = ({ day }: PlantView, i: number) =>
  day.clock.weekday[i] === 1 && day.clock.hour[i]! >= 10 && day.clock.hour[i]! < 10.25 ? 1 : 0

/** Signals of the plant, by element type and point suffix. Meters and the trips of lifts are in counters.ts. */
export const plantSignals: Record<string, PlantSignal> = {
  'ahu/SAT': every15Min(({ handler }, i) => handler.supplyC[i]!, 0.08, 10),
  'ahu/RAT': every15Min(({ handler }, i) => handler.returnC[i]!, 0.05, 10),
  'ahu/SAF': every15Min(({ handlerAir }, i) => handlerAir[i]!, 4, 1),
  'ahu/SAP': every15Min(({ handler }, i) => (handler.speed[i]! > 0 ? 180 + 120 * handler.speed[i]! : 0), 2, 1),
  'ahu/FDP': every15Min(
    ({ handler, epochDay, elementSeed }, i) =>
      handler.speed[i]! * (90 + 170 * filterLoad(elementSeed, epochDay + i / STEPS)),
    1.5,
    1,
  ),
  'ahu/SFC': every15Min(({ handler }, i) => 100 * handler.speed[i]!, 0, 2),
  'ahu/SFS': onChange(({ handler }, i) => isRunning(handler.speed[i]!)),
  'ahu/CCV': every15Min(({ handler }, i) => 100 * handler.cooling[i]!, 0, 2),
  'ahu/HCV': every15Min(({ handler }, i) => 100 * handler.heating[i]!, 0, 2),
  'ahu/OAD': every15Min(({ handler }, i) => 100 * handler.outdoorShare[i]!, 0, 2),
  'ahu/SATSP': onChange(({ handler }, i) => handler.setpointC[i]!, 10),
  'ahu/FLT': onChange(({ epochDay, elementSeed }, i) => (filterLoad(elementSeed, epochDay + i / STEPS) > 0.95 ? 1 : 0)),
  'ahu/MINOA': onChange(() => 100 * MIN_OUTDOOR_SHARE),
  'ahu/MODE': onChange(({ handler }, i) => handler.mode[i]!, 1, ['off', 'warm-up', 'occupied']),

  'chiller/CHWS': every15Min(
    (view, i, seed) => (chillerLoad(view, i) > 0 ? 7 : 11) + 0.3 * smoothNoise(seed, hours(view, i)),
    0.05,
    10,
  ),
  'chiller/CHWR': every15Min(
    (view, i, seed) =>
      (chillerLoad(view, i) > 0 ? 7.8 + 4.7 * chillerLoad(view, i) : 11.4) + 0.3 * smoothNoise(seed, hours(view, i)),
    0.05,
    10,
  ),
  'chiller/KW': every15Min((view, i) => chillerKw(chillerLoad(view, i), view.capacityKw), 0, 10),
  'chiller/STS': onChange((view, i) => isRunning(chillerLoad(view, i))),
  'chiller/CHWSP': onChange(() => 7, 10),
  'chiller/ALM': rareAlarm(0.004),
  'chiller/LIM': onChange(() => 100),

  'boiler/HWS': every15Min(
    (view, i, seed) =>
      (boilerLoad(view, i) > 0 ? hotWater(view.day.weather.outsideMean[i]!) : 36) +
      0.8 * smoothNoise(seed, hours(view, i) * 2),
    0.1,
    10,
  ),
  'boiler/HWR': every15Min(
    (view, i, seed) =>
      (boilerLoad(view, i) > 0 ? hotWater(view.day.weather.outsideMean[i]!) - 4 - 11 * boilerLoad(view, i) : 35) +
      0.8 * smoothNoise(seed, hours(view, i) * 2),
    0.1,
    10,
  ),
  'boiler/FIR': every15Min((view, i) => 100 * boilerLoad(view, i), 0, 2),
  'boiler/STS': onChange((view, i) => isRunning(boilerLoad(view, i))),
  'boiler/HWSP': onChange(({ day }, i) => hotWater(day.weather.outsideMean[i]!), 10),
  'boiler/ALM': rareAlarm(0.004),

  'cooling-tower/CWS': every15Min(({ day }, i) => Math.max(16, 17 + 0.45 * day.weather.outside[i]!), 0.1, 10),
  'cooling-tower/SPD': every15Min((view, i) => (chillerLoad(view, i) > 0 ? 25 + 75 * chillerLoad(view, i) : 0), 0, 2),
  'cooling-tower/STS': onChange((view, i) => isRunning(chillerLoad(view, i))),
  'chilled-water-pump/SPD': every15Min(
    (view, i) => (chillerLoad(view, i) > 0 ? 35 + 60 * chillerLoad(view, i) : 0),
    0,
    2,
  ),
  'chilled-water-pump/STS': onChange((view, i) => isRunning(chillerLoad(view, i))),
  'hot-water-pump/SPD': every15Min((view, i) => (boilerLoad(view, i) > 0 ? 35 + 60 * boilerLoad(view, i) : 0), 0, 2),
  'hot-water-pump/STS': onChange((view, i) => isRunning(boilerLoad(view, i))),
  'heat-pump/KW': every15Min(({ coolingKw, heatingKw }, i) => coolingKw[i]! / 3.6 + heatingKw[i]! / 3.2, 0, 100),
  'heat-pump/MODE': onChange(
    ({ coolingKw, heatingKw }, i) => (heatingKw[i]! > coolingKw[i]! ? 1 : coolingKw[i]! > 0 ? 2 : 0),
    1,
    ['standby', 'heating', 'cooling'],
  ),
  'heat-pump/ALM': rareAlarm(0.004),

  'weather-station/OAT': { ...every15Min(({ day }, i) => day.weather.outside[i]!, 0.05, 10), min: -60 },
  'weather-station/OAH': every15Min(({ day }, i) => day.weather.humidity[i]!, 0.4, 1),
  'weather-station/WIND': every15Min(({ day }, i) => day.weather.wind[i]!, 0.3, 10),
  'weather-station/GHI': every15Min(({ day }, i) => day.weather.sun[i]!, 0, 1),

  'lift/POS': { ...every15Min(liftPosition, 0, 1), everySteps: 1, min: -9 },
  'lift/MODE': { ...onChange(() => 0, 1, ['idle', 'moving']), events: liftEvents },
  'lift/ALM': rareAlarm(0.01),
  'escalator/STS': onChange(({ day }, i) => (day.activity[i]! > 0.15 ? 1 : 0)),
  'escalator/ALM': rareAlarm(0.005),
  'fire-panel/ALM': rareAlarm(0.0007),
  'fire-panel/MODE': onChange(isPanelTest, 1, ['normal', 'test']),
  'controller/CO2MAX': onChange(() => 1000),
  'controller/OSTM': onChange(() => 120),
  'controller/OCSP': onChange(() => 22.8, 10),
  'controller/OHSP': onChange(() => 21.1, 10),
  'controller/MODE': onChange(({ day }, i) => day.isOpen[i]!, 1, ['unoccupied', 'occupied']),
}
