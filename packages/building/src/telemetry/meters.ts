import type { Building, Element, Space } from '../building.ts'
import { LOAD_COUNT, LOADS, type Load, type LoadShares, loadShares, QUARTERS } from './energy.ts'
import { seedAt, smoothNoise } from './noise.ts'

/** Watts per square metre at full load, by space type. */
const LOADS_BY_SPACE: Record<string, Partial<Record<Load, number>>> = {
  'open-office': { officeLight: 8, officePlug: 10, base: 1 },
  'private-office': { officeLight: 8, officePlug: 9, base: 1 },
  'shared-office': { officeLight: 8, officePlug: 10, base: 1 },
  'management-office': { officeLight: 8, officePlug: 10, base: 1 },
  cafeteria: { officeLight: 8, food: 20, base: 2 },
  auditorium: { officeLight: 8, officePlug: 4, base: 0.5 },
  'training-room': { officeLight: 8, officePlug: 5, base: 0.5 },
  'meeting-room': { officeLight: 8, officePlug: 5, base: 0.5 },
  'server-room': { commonLight: 2, base: 160 },
  'telecom-room': { base: 40 },
  'security-room': { commonLight: 8, base: 12 },
  kitchen: { officeLight: 6, food: 22, base: 3 },
  'break-room': { officeLight: 6, food: 14, base: 2 },
  shop: { retailLight: 16, retailPlug: 6, base: 0.8 },
  'anchor-store': { retailLight: 13, retailPlug: 6, base: 1.4 },
  restaurant: { retailLight: 10, food: 45, base: 5 },
  'food-court': { commonLight: 10, food: 12, base: 1 },
  concourse: { commonLight: 9 },
  atrium: { commonLight: 9 },
  lobby: { commonLight: 9, base: 0.5 },
  'plant-room': { commonLight: 2, base: 3 },
  'electrical-room': { commonLight: 2, base: 6 },
  parking: { commonLight: 2, base: 0.2 },
  'parking-aisle': { commonLight: 2, base: 0.2 },
}
const OTHER_SPACES: Partial<Record<Load, number>> = { commonLight: 5, base: 0.2 }
const VACANT: Partial<Record<Load, number>> = { base: 0.3 }

/** The plant's own load, in watts per square metre of the building. */
const PLANT: Record<string, Partial<Record<Load, number>>> = {
  office: { base: 5.6, fans: 4.5, cooling: 4.8, heating: 0.8, people: 1 },
  mall: { base: 1.6, fans: 5, cooling: 8, heating: 0.8, people: 1.5 },
}
/**
 * A storey's meter measures the loads of its spaces times this factor. The main meter measures the sum of the storeys'
 * meters times this factor, plus the plant. The difference is cable losses and sockets in corridors.
 */
const UNMETERED_FACTOR = 1.03

export interface MeterModel {
  shares: LoadShares
  /**
   * The amplitude, in kWh, of the slow noise that is added to the readings. It is so small that the readings never
   * fall, and that a meter still counts more than the sum of its submeters.
   */
  noiseKwh: number
  seed: number
}

export interface Metering {
  room(space: Space, seed: number): MeterModel
  storey(spaces: readonly Space[], seed: number): MeterModel
  main(seed: number): MeterModel
}

export function meteringOf(building: Building): Metering {
  const withNoise = (shares: LoadShares, seed: number, part: number): MeterModel => ({
    shares,
    noiseKwh: part * minPower(shares),
    seed,
  })
  const storeyShares = (spaces: readonly Space[]) => scaled(sum(spaces.map(spaceShares)), UNMETERED_FACTOR)
  return {
    room: (space, seed) => withNoise(spaceShares(space), seed, 0.004),
    storey: (spaces, seed) => withNoise(storeyShares(spaces), seed, 0.002),
    main(seed) {
      const storeys = building.storeys.map((storey) =>
        building.spaces.filter((space) => space.storeyKey === storey.key),
      )
      const plant = perSqm(PLANT[building.spec.buildingType]!, building.building.areaSqm)
      return withNoise(sum([scaled(sum(storeys.map(storeyShares)), UNMETERED_FACTOR), plant]), seed, 0.002)
    },
  }
}

const perSqm = (watts: Partial<Record<Load, number>>, areaSqm: number): LoadShares =>
  scaled(loadShares(watts), areaSqm / 1000)

const spaceShares = (space: Space): LoadShares =>
  perSqm(space.status === 'vacant' ? VACANT : (LOADS_BY_SPACE[space.spaceType] ?? OTHER_SPACES), space.areaSqm)

const scaled = (shares: LoadShares, by: number): LoadShares => shares.map((share) => share * by)

function sum(all: readonly LoadShares[]): LoadShares {
  const total = new Float64Array(LOAD_COUNT)
  for (const shares of all) for (let i = 0; i < LOAD_COUNT; i++) total[i]! += shares[i]!
  return total
}

/** The share of each load that is used at the hour of the lowest load. */
const MIN_LOAD: Partial<Record<Load, number>> = {
  base: 1,
  officeLight: 0.05,
  officePlug: 0.15,
  retailLight: 0.06,
  retailPlug: 0.12,
  food: 0.15,
  commonLight: 0.25,
  fans: 0.06,
}
/** The power in kW at the hour of the lowest load. */
const minPower = (shares: LoadShares) => LOADS.reduce((total, load, i) => total + shares[i]! * (MIN_LOAD[load] ?? 0), 0)

/**
 * Meter readings at the quarter hours of a day: kWh, m³, or trips of a lift. `totals` has the full-load hours of each
 * load profile at those times.
 */
export function fillReadings(out: Float64Array, meter: MeterModel, totals: Float64Array, epochDay: number): void {
  const { shares, noiseKwh, seed } = meter
  for (let quarter = 0; quarter < QUARTERS; quarter++)
    out[quarter] = reading(shares, totals, quarter) + noiseAt(noiseKwh, seed, epochDay * 96 + quarter)
}

/**
 * The mean power (kW) or flow (L/s) in the 15 minutes before each reading. The 15 minutes before the start of the day
 * belong to the previous day, whose totals are `before`.
 */
export function fillPower(
  out: Float64Array,
  meter: MeterModel,
  totals: Float64Array,
  before: Float64Array,
  epochDay: number,
): void {
  const { shares, noiseKwh, seed } = meter
  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    const at = epochDay * 96 + quarter
    const used =
      quarter === 0
        ? reading(shares, before, QUARTERS) - reading(shares, before, QUARTERS - 1)
        : reading(shares, totals, quarter) - reading(shares, totals, quarter - 1)
    out[quarter] = 4 * (used + noiseAt(noiseKwh, seed, at) - noiseAt(noiseKwh, seed, at - 1))
  }
}

function reading(shares: LoadShares, totals: Float64Array, quarter: number): number {
  let total = 0
  const at = quarter * LOAD_COUNT
  for (let i = 0; i < LOAD_COUNT; i++) total += shares[i]! * totals[at + i]!
  return total
}

/** Smooth noise with a new random value every hour, shifted so that a new meter does not start below zero. */
const noiseAt = (kwh: number, seed: number, quarter: number) => kwh * (1 + smoothNoise(seedAt(seed, 31), quarter / 4))

/** Whether an electricity meter measures the building, a storey or a room. */
export function meterRole(element: Element): 'main' | 'storey' | 'room' {
  if (element.serves[0]?.startsWith('element/')) return 'main'
  return element.serves.length === 1 && element.serves[0] === element.spaceKey ? 'room' : 'storey'
}
