import {
  type AirHandler,
  addRoom,
  clearAirHandler,
  createAirHandler,
  createAirHandlerDay,
  stepAirHandler,
  supplySetpoint,
} from './air-handlers.ts'
import { DAY_MS, STEP_MS, STEPS } from './clock.ts'
import { type DayConditions, dayConditions } from './conditions.ts'
import { createEmitter, type Emitter } from './emit.ts'
import { QUARTERS } from './energy.ts'
import { faultsBetween, type InjectedFault } from './injected-faults.ts'
import { fillPower, fillReadings } from './meters.ts'
import type { TelemetryModel, Zone } from './plan.ts'
import type { PlantView } from './plant-signals.ts'
import { fillPerimeterHeat, machineSize } from './plant-size.ts'
import { createRoomDay, createRoomState, type RoomDay, type RoomState, type StuckDamper, stepRoom } from './rooms.ts'
import type { PointSeries } from './series.ts'

/** The telemetry of a UTC day. The series can be read once, in order, and only before the next day is requested. */
export interface DayBatch {
  /** Milliseconds since the epoch. */
  dayStart: number
  series: Iterable<PointSeries>
}

/**
 * How many days are simulated before the first day of the result. The warm-up is so long that the initial state of a
 * room hardly matters. It is also longer than any short fault (`injected-faults.ts`), so no short fault is active both
 * before and after the warm-up.
 */
const WARM_UP_DAYS = 2

/**
 * All samples from `from` up to, but not including, `to`. Samples of a regular point are at multiples of its interval
 * since the epoch, so adjacent runs have neither a gap nor an overlap. `extraFaults` are added to the building's own
 * faults.
 */
export function* simulate(
  model: TelemetryModel,
  from: Date,
  to: Date,
  extraFaults: readonly InjectedFault[] = [],
): Generator<DayBatch, void, void> {
  const fromMs = from.getTime()
  const toMs = to.getTime()
  const firstDay = Math.floor(fromMs / DAY_MS) * DAY_MS
  const run = createRun(model, extraFaults)
  for (let dayStart = firstDay - WARM_UP_DAYS * DAY_MS; dayStart < toMs; dayStart += DAY_MS) {
    const isWarmUp = dayStart < firstDay
    const window = { lowMs: Math.max(0, fromMs - dayStart), highMs: Math.min(DAY_MS, toMs - dayStart) }
    const series = seriesOfDay(run, dayStart, window, isWarmUp)
    if (!isWarmUp) yield { dayStart, series: unclosed(series) }
    for (const _ of series) {
      // Reading the series also advances the state of rooms and faults, so all series must be read.
    }
  }
}

/**
 * Hides the iterator's `return`, so that a `for` loop that ends early does not close the iterator: `simulate` must read
 * the remaining series.
 */
const unclosed = (series: Iterator<PointSeries>): Iterable<PointSeries> => ({
  [Symbol.iterator]: () => ({ next: () => series.next() }),
})

/** The faults that are injected into the data between two instants. */
export function injectedFaults(model: TelemetryModel, from: Date, to: Date): InjectedFault[] {
  return faultsBetween(model.building, model.targets, from.getTime(), to.getTime())
}

/** The buffers and state of one simulation. Several simulations can use the same model. */
interface Run {
  model: TelemetryModel
  extraFaults: readonly InjectedFault[]
  emitter: Emitter
  states: RoomState[][]
  handlers: AirHandler[]
  main: RoomDay
  other: RoomDay
  zoneAir: Float64Array
  damper: Float64Array
  supplyC: Float64Array
  handlerDay: ReturnType<typeof createAirHandlerDay>
  coolingKw: Float64Array
  heatingKw: Float64Array
}

function createRun(model: TelemetryModel, extraFaults: readonly InjectedFault[]): Run {
  const handlers = model.handlers.map((machine) => createAirHandler(machine.elementSeed))
  for (const zone of model.zones) {
    const handler = handlers[zone.handler]
    if (handler) for (const { room } of zone.rooms) if (room.isConditioned) handler.maxAir += room.maxAir
  }
  return {
    model,
    extraFaults,
    emitter: createEmitter(),
    states: model.zones.map((zone) => zone.rooms.map(({ room }) => createRoomState(room))),
    handlers,
    main: createRoomDay(),
    other: createRoomDay(),
    zoneAir: new Float64Array(STEPS),
    damper: new Float64Array(STEPS),
    supplyC: new Float64Array(STEPS),
    handlerDay: createAirHandlerDay(),
    coolingKw: new Float64Array(STEPS),
    heatingKw: new Float64Array(STEPS),
  }
}

function* seriesOfDay(
  run: Run,
  dayStart: number,
  window: { lowMs: number; highMs: number },
  isWarmUp: boolean,
): Generator<PointSeries> {
  const { model, emitter } = run
  const day = dayConditions(model.climate, dayStart)
  const faults = [
    ...faultsBetween(model.building, model.targets, dayStart, dayStart + DAY_MS),
    ...run.extraFaults.filter(({ startMs, endMs }) => startMs < dayStart + DAY_MS && endMs > dayStart),
  ]
  emitter.startDay(dayStart, window, faults, isWarmUp)
  const dampers = stuckDampers(faults, dayStart)
  for (const handler of run.handlers) clearAirHandler(handler)
  for (let i = 0; i < STEPS; i++) run.supplyC[i] = supplySetpoint(day.weather.outsideMean[i]!)
  for (let z = 0; z < model.zones.length; z++) {
    const zone = model.zones[z]!
    yield* zoneSeries(run, zone, run.states[z]!, day, dampers.get(zone.damperPoint) ?? null)
  }
  yield* plantSeries(run, day)
  if (!isWarmUp) yield* counterSeries(run, dayStart)
}

/** The openings of stuck dampers, by the index of the damper's point. Of faults that overlap, the last one applies. */
function stuckDampers(faults: readonly InjectedFault[], dayStart: number): Map<number, StuckDamper> {
  const dampers = new Map<number, StuckDamper>()
  for (const { kind, pointIndex, amount, startMs, endMs } of faults) {
    if (kind !== 'stuck-damper') continue
    const openings = dampers.get(pointIndex) ?? new Float64Array(STEPS).fill(Number.NaN)
    const [from, to] = [startMs, endMs].map((at) => Math.max(0, Math.ceil((at - dayStart) / STEP_MS)))
    dampers.set(pointIndex, openings.fill(amount, from, to))
  }
  return dampers
}

/** The first room of a zone has the VAV box and controls it. The other rooms of the zone share the air of the box. */
function* zoneSeries(
  run: Run,
  zone: Zone,
  states: RoomState[],
  day: DayConditions,
  stuck: StuckDamper | null,
): Generator<PointSeries> {
  const { emitter, zoneAir } = run
  const epochDay = day.dayStartMs / DAY_MS
  const handler = run.handlers[zone.handler]
  let maxAir = 0
  zoneAir.fill(0)
  for (let r = 0; r < zone.rooms.length; r++) {
    const { room, points } = zone.rooms[r]!
    const roomDay = r === 0 ? run.main : run.other
    stepRoom(room, states[r]!, day, roomDay, stuck)
    maxAir += room.maxAir
    for (let i = 0; i < STEPS; i++) zoneAir[i]! += roomDay.air[i]!
    if (handler && room.isConditioned) addRoom(handler, room, roomDay)
    const view = { room, roomDay, day, epochDay }
    for (const { pointIndex, seed, signal } of points) {
      if (!emitter.needs(pointIndex)) continue
      if (signal.events) signal.events(emitter.events, view, seed)
      else signal.fill(emitter.values, view, seed)
      const series = emitter.emit(pointIndex, signal, seed, signal.events !== undefined)
      if (series) yield series
    }
  }
  if (zone.box.length === 0) return
  for (let i = 0; i < STEPS; i++) {
    // A stuck damper keeps its opening, even while the fan is off.
    const opening = stuck === null ? Number.NaN : stuck[i]!
    run.damper[i] = Number.isNaN(opening) ? zoneAir[i]! / maxAir : opening
  }
  const boxView = {
    room: zone.rooms[0]!.room,
    roomDay: run.main,
    day,
    epochDay,
    air: zoneAir,
    position: run.damper,
    supplyC: run.supplyC,
  }
  for (const { pointIndex, seed, signal } of zone.box) {
    if (!emitter.needs(pointIndex)) continue
    signal.fill(emitter.values, boxView, seed)
    const series = emitter.emit(pointIndex, signal, seed, false)
    if (series) yield series
  }
}

/** Air handlers depend on the rooms, and the other machines depend on the air handlers. */
function* plantSeries(run: Run, day: DayConditions): Generator<PointSeries> {
  const { model, emitter, coolingKw, heatingKw, handlerDay } = run
  const { building } = model
  coolingKw.fill(0)
  fillPerimeterHeat(heatingKw, day, building.building.areaSqm)
  const view: PlantView = {
    day,
    epochDay: day.dayStartMs / DAY_MS,
    coolingKw,
    heatingKw,
    elementSeed: 0,
    number: 0,
    count: 1,
    capacityKw: 1,
    lowest: building.storeys[0]!.index,
    highest: building.storeys.at(-1)!.index,
    handler: handlerDay,
    handlerAir: coolingKw,
  }
  for (let h = 0; h < run.handlers.length; h++) {
    const handler = run.handlers[h]!
    stepAirHandler(handler, day, handlerDay)
    for (let i = 0; i < STEPS; i++) {
      coolingKw[i]! += handlerDay.coolingKw[i]!
      heatingKw[i]! += handlerDay.heatingKw[i]!
    }
    view.handlerAir = handler.air
    yield* machineSeries(emitter, model.handlers[h]!, view)
  }
  for (const machine of model.machines) {
    view.capacityKw = machineSize(machine, building.building.areaSqm)
    yield* machineSeries(emitter, machine, view)
  }
}

function* machineSeries(
  emitter: Emitter,
  machine: TelemetryModel['machines'][number],
  view: PlantView,
): Generator<PointSeries> {
  view.elementSeed = machine.elementSeed
  view.number = machine.number
  view.count = machine.count
  for (const { pointIndex, seed, signal } of machine.points) {
    if (!emitter.needs(pointIndex)) continue
    if (signal.events) signal.events(emitter.events, view, seed)
    else signal.fill(emitter.values, view, seed)
    const series = emitter.emit(pointIndex, signal, seed, signal.events !== undefined)
    if (series) yield series
  }
}

const READING = { everySteps: 3, noise: 0, isCompact: true }

function* counterSeries({ model, emitter }: Run, dayStart: number): Generator<PointSeries> {
  const before = model.loadTotals.day(dayStart - DAY_MS)
  const totals = model.loadTotals.day(dayStart)
  const epochDay = dayStart / DAY_MS
  for (const { pointIndex, seed, meter, quantity, perUnit } of model.counters) {
    if (quantity === 'reading') fillReadings(emitter.values, meter, totals, epochDay)
    else fillPower(emitter.values, meter, totals, before, epochDay)
    if (quantity === 'power factor') toPowerFactor(emitter.values)
    const series = emitter.emit(pointIndex, { ...READING, perUnit }, seed, false)
    if (series) yield series
  }
}

/**
 * Replaces the power of each quarter of an hour by the power factor. The power factor is lower at low power, because
 * motors and chargers are then a larger part of the load.
 */
function toPowerFactor(values: Float64Array): void {
  const power = values.subarray(0, QUARTERS)
  const peak = power.reduce((max, value) => Math.max(max, value), 1e-9)
  for (let i = 0; i < QUARTERS; i++) power[i] = 0.88 + 0.08 * Math.min(1, power[i]! / peak)
}
