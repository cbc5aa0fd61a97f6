import type { Building, Space } from '../building.ts'
import { loadShares } from './energy.ts'
import { type MeterModel, meteringOf, meterRole } from './meters.ts'
import type { PointsOf } from './points-of.ts'

/**
 * A point of a meter, or the point that counts the trips of a lift. Its `quantity` is a reading, which only rises, or a
 * value of the last quarter hour: power, flow or power factor.
 */
export interface Counter {
  pointIndex: number
  seed: number
  meter: MeterModel
  /** The flow of a water meter also has the quantity `power`. */
  quantity: 'reading' | 'power' | 'power factor'
  /** The resolution of the values as steps per unit: 100 for hundredths. */
  perUnit: number
}

/** Per hour of full load and square metre of the building: m³ of gas, m³ of water, and trips of all lifts together. */
const GAS_PER_SQM = 0.0034
const WATER_PER_SQM = 0.00016
const TRIPS_PER_SQM = 0.012

export function countersOf(building: Building, pointsOf: PointsOf): Counter[] {
  const metering = meteringOf(building)
  const spaceByKey = new Map(building.spaces.map((space) => [space.key, space]))
  const { areaSqm } = building.building
  const lifts = building.elements.filter((element) => element.elementType === 'lift').length
  const steady = (shares: MeterModel['shares'], seed: number): MeterModel => ({ shares, noiseKwh: 0, seed })
  const counters: Counter[] = []

  for (const element of building.elements) {
    for (const { index, suffix, seed } of pointsOf(element.key)) {
      const add = (meter: MeterModel, quantity: Counter['quantity'], perUnit: number) =>
        counters.push({ pointIndex: index, seed, meter, quantity, perUnit })
      if (element.elementType === 'electricity-meter') {
        // All points of a meter have the same noise, so they use the seed of its first point.
        const meterSeed = pointsOf(element.key)[0]!.seed
        const role = meterRole(element)
        const spaces = element.serves.flatMap((key): Space[] => (spaceByKey.get(key) ? [spaceByKey.get(key)!] : []))
        const meter =
          role === 'main'
            ? metering.main(meterSeed)
            : role === 'room'
              ? metering.room(spaces[0]!, meterSeed)
              : metering.storey(spaces, meterSeed)
        if (suffix === 'PF') add(meter, 'power factor', 1000)
        else
          add(meter, suffix === 'KWH' ? 'reading' : 'power', suffix === 'KWH' ? (role === 'room' ? 1000 : 100) : 1000)
      } else if (element.elementType === 'water-meter') {
        const water = steady(loadShares({ people: areaSqm * WATER_PER_SQM, base: areaSqm * 2e-6 }), seed)
        // The flow is in litres a second: one cubic metre an hour is 1/3.6 L/s.
        if (suffix === 'VOL') add(water, 'reading', 1000)
        else add({ ...water, shares: water.shares.map((share) => share / 3.6) }, 'power', 100)
      } else if (element.elementType === 'gas-meter') {
        add(steady(loadShares({ heating: areaSqm * GAS_PER_SQM, people: areaSqm * 1e-4 }), seed), 'reading', 100)
      } else if (element.elementType === 'lift' && suffix === 'TRP') {
        add(steady(loadShares({ people: (areaSqm * TRIPS_PER_SQM) / lifts, base: 0.2 }), seed), 'reading', 1)
      }
    }
  }
  return counters
}
