import { STEPS } from './clock.ts'
import type { DayConditions } from './conditions.ts'
import type { Machine } from './plan.ts'

/** The design load of each kind of machine, in kW per square metre of the building, and how many machines are spare. */
const SIZES: Record<string, { kwPerSqm: number; spare: number }> = {
  chiller: { kwPerSqm: 0.06, spare: 0 },
  'cooling-tower': { kwPerSqm: 0.06, spare: 0 },
  'chilled-water-pump': { kwPerSqm: 0.06, spare: 1 },
  boiler: { kwPerSqm: 0.05, spare: 0 },
  'hot-water-pump': { kwPerSqm: 0.05, spare: 1 },
}

/** Full output of one machine, kW; 1 for kinds without a size. Spare machines do not share the design load. */
export function machineSize({ elementType, count }: Machine, areaSqm: number): number {
  const size = SIZES[elementType]
  return size ? (size.kwPerSqm * areaSqm) / Math.max(1, count - size.spare) : 1
}

/**
 * The heat that radiators and domestic hot water take from the plant, in kW. It is not added to the rooms, because
 * `equilibriumC` in `rooms.ts` already includes the effect of the radiators.
 */
export function fillPerimeterHeat(out: Float64Array, day: DayConditions, areaSqm: number): void {
  for (let i = 0; i < STEPS; i++) {
    const cold = Math.max(0, (16 - day.weather.outside[i]!) / 26)
    out[i] = areaSqm * (0.024 * cold * (day.isOpen[i] === 1 ? 1 : 0.5) + 0.0008 * day.activity[i]!)
  }
}
