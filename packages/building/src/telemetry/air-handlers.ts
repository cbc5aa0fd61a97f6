import { STEPS } from './clock.ts'
import type { DayConditions } from './conditions.ts'
import { chanceAt, smoothNoise } from './noise.ts'
import type { RoomDay, RoomModel } from './rooms.ts'

/** The totals of the rooms of an air handler during a day. */
export interface AirHandler {
  seed: number
  /** The largest air flow that the rooms can request, L/s. */
  maxAir: number
  air: Float64Array
  /** Air flow times room temperature. Divided by `air`, it is the mean temperature of the air that leaves the rooms. */
  returnHeat: Float64Array
  /** Heat of the rooms' reheat valves, kW. */
  reheatKw: Float64Array
}

export const createAirHandler = (seed: number): AirHandler => ({
  seed,
  maxAir: 0,
  air: new Float64Array(STEPS),
  returnHeat: new Float64Array(STEPS),
  reheatKw: new Float64Array(STEPS),
})

export function clearAirHandler({ air, returnHeat, reheatKw }: AirHandler): void {
  air.fill(0)
  returnHeat.fill(0)
  reheatKw.fill(0)
}

/** A fully open reheat valve gives about 40 W a square metre. */
const REHEAT_KW_PER_SQM = 0.04

export function addRoom(handler: AirHandler, room: RoomModel, roomDay: RoomDay): void {
  for (let i = 0; i < STEPS; i++) {
    handler.air[i]! += roomDay.air[i]!
    handler.returnHeat[i]! += roomDay.air[i]! * roomDay.temperature[i]!
    handler.reheatKw[i]! += roomDay.heating[i]! * room.areaSqm * REHEAT_KW_PER_SQM
  }
}

/** The state of an air handler at each step, and the cooling and heating power that it needs from the plant. */
export interface AirHandlerDay {
  supplyC: Float64Array
  returnC: Float64Array
  setpointC: Float64Array
  outdoorShare: Float64Array
  cooling: Float64Array
  heating: Float64Array
  coolingKw: Float64Array
  heatingKw: Float64Array
  speed: Float64Array
  /** 0 off, 1 warming up, 2 occupied. */
  mode: Float64Array
}

export function createAirHandlerDay(): AirHandlerDay {
  const perStep = () => new Float64Array(STEPS)
  return {
    supplyC: perStep(),
    returnC: perStep(),
    setpointC: perStep(),
    outdoorShare: perStep(),
    cooling: perStep(),
    heating: perStep(),
    coolingKw: perStep(),
    heatingKw: perStep(),
    speed: perStep(),
    mode: perStep(),
  }
}

export const MIN_OUTDOOR_SHARE = 0.3
/** The heat that an air flow of 1 L/s carries per kelvin of temperature difference, kW. */
const KW_PER_LITRE_KELVIN = 0.0012

/** The colder it is outside, the warmer is the supply air. */
export const supplySetpoint = (outsideMean: number): number =>
  Math.round(Math.min(18, Math.max(13, 18 - 0.25 * (outsideMean - 2))) * 2) / 2

/** Mixes, cools and heats the air. The coils provide the cooling and heating that mixing alone cannot. */
export function stepAirHandler(handler: AirHandler, day: DayConditions, out: AirHandlerDay): void {
  const { outside, outsideMean } = day.weather
  const { seed, maxAir } = handler
  const coilKw = Math.max(1, maxAir) * KW_PER_LITRE_KELVIN * 12
  for (let i = 0; i < STEPS; i++) {
    const air = handler.air[i]!
    const isOn = day.isOpen[i] === 1
    const setpoint = supplySetpoint(outsideMean[i]!)
    const returned = (air > 0 ? handler.returnHeat[i]! / air : 21 + 0.05 * (outsideMean[i]! - 15)) + 0.3
    const free = (returned - setpoint) / Math.max(0.5, returned - outside[i]!)
    const share = outside[i]! < returned - 0.5 ? Math.min(1, Math.max(MIN_OUTDOOR_SHARE, free)) : MIN_OUTDOOR_SHARE
    const mixed = returned + share * (outside[i]! - returned)
    const coolingKw = isOn ? air * KW_PER_LITRE_KELVIN * Math.max(0, mixed - setpoint) : 0
    const heatingKw = isOn ? air * KW_PER_LITRE_KELVIN * Math.max(0, setpoint - mixed) : 0
    out.setpointC[i] = setpoint
    out.returnC[i] = returned
    out.outdoorShare[i] = isOn ? share : 0
    out.coolingKw[i] = coolingKw
    out.heatingKw[i] = heatingKw + handler.reheatKw[i]!
    out.cooling[i] = Math.min(1, coolingKw / coilKw)
    out.heating[i] = Math.min(1, heatingKw / coilKw)
    out.supplyC[i] = isOn ? setpoint + 0.35 * smoothNoise(seed, day.dayStartMs / 3_600_000 + i / 6) : returned - 1.5
    out.speed[i] = isOn ? 0.3 + 0.7 * Math.min(1, air / Math.max(1, maxAir)) : 0
    out.mode[i] = isOn ? (day.activity[i]! < 0.2 ? 1 : 2) : 0
  }
}

/** How clogged the filter is, from 0 to 1. The filter is replaced every three months. */
export function filterLoad(seed: number, day: number): number {
  const cycle = (day + 90 * chanceAt(seed, 41)) / 90
  return cycle - Math.floor(cycle)
}
