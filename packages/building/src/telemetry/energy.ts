import { DAY_MS, dayClock } from './clock.ts'
import { activityOf, type Climate, isOpenAt, presentAt } from './conditions.ts'
import { outsideAt } from './weather.ts'

/**
 * The names of the load profiles. The profiles depend only on the building and the date. A meter reading is a weighted
 * sum of the profiles, accumulated since the day on which the meters were installed. So a reading does not depend on
 * when a simulation starts, readings only rise, and submeters add up to less than the meter above them.
 */
export const LOADS = [
  'base',
  'officeLight',
  'officePlug',
  'retailLight',
  'retailPlug',
  'food',
  'commonLight',
  'fans',
  'cooling',
  'heating',
  'people',
] as const
export type Load = (typeof LOADS)[number]
/**
 * The consumption of a meter at full load, for each load profile. The unit is kW for electricity, m³ per hour for gas
 * and water (L/s for the flow of a water meter), and trips per hour for lifts.
 */
export type LoadShares = Float64Array

export const LOAD_COUNT = LOADS.length
export const QUARTERS = 96
const INSTALLED_DAY = Date.UTC(2022, 0, 1) / DAY_MS

export function loadShares(shares: Partial<Record<Load, number>>): LoadShares {
  return Float64Array.from(LOADS, (load) => shares[load] ?? 0)
}

export interface LoadTotals {
  /**
   * Hours of full load of each load profile since installation, at the start, at each quarter hour and at the end of a
   * day.
   */
  day(dayStartMs: number): Float64Array
}

export function createLoadTotals(climate: Climate): LoadTotals {
  // Totals at the start of each day since installation, extended as needed.
  const starts: Float64Array[] = [new Float64Array(LOAD_COUNT)]
  const kept = new Map<number, Float64Array>()
  const profiles = new Float64Array(QUARTERS * LOAD_COUNT)

  function totalsOf(epochDay: number): Float64Array {
    const totals = new Float64Array((QUARTERS + 1) * LOAD_COUNT)
    totals.set(startOf(epochDay))
    fillProfiles(climate, epochDay, profiles)
    for (let i = 0; i < QUARTERS * LOAD_COUNT; i++) totals[i + LOAD_COUNT] = totals[i]! + profiles[i]! / 4
    return totals
  }

  /**
   * Sums up quarter hour by quarter hour in the same order as `totalsOf`, so that the last total of a day has exactly
   * the same bits as the first total of the next day.
   */
  function startOf(epochDay: number): Float64Array {
    const wanted = Math.max(0, epochDay - INSTALLED_DAY)
    while (starts.length <= wanted) {
      const total = starts[starts.length - 1]!.slice()
      fillProfiles(climate, INSTALLED_DAY + starts.length - 1, profiles)
      for (let i = 0; i < QUARTERS * LOAD_COUNT; i++) total[i % LOAD_COUNT]! += profiles[i]! / 4
      starts.push(total)
    }
    return starts[wanted]!
  }

  return {
    day(dayStartMs) {
      const epochDay = dayStartMs / DAY_MS
      let totals = kept.get(epochDay)
      if (!totals) {
        // Before installation nothing is counted.
        totals = epochDay < INSTALLED_DAY ? new Float64Array((QUARTERS + 1) * LOAD_COUNT) : totalsOf(epochDay)
        if (kept.size > 2) kept.clear()
        kept.set(epochDay, totals)
      }
      return totals
    },
  }
}

/** The load profiles of a day by quarter hour, each between 0 and about 1.3. */
function fillProfiles(climate: Climate, epochDay: number, into: Float64Array): void {
  const { hour: hours, weekday } = dayClock(epochDay * DAY_MS)
  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    const step = quarter * 3 + 1
    const hour = hours[step]!
    const day = epochDay + (quarter + 0.5) / QUARTERS
    const share = presentAt(climate, weekday[step]!, hour, day)
    const activity = activityOf(climate, share)
    const isOpen = isOpenAt(climate, weekday[step]!, hour)
    const outside = outsideAt(climate.seed, day)
    const at = quarter * LOAD_COUNT
    into[at] = 1
    into[at + 1] = 0.05 + 0.8 * activity
    into[at + 2] = 0.15 + 0.55 * activity * (0.82 + 0.18 * bump(hour, 13.5, 4.5))
    into[at + 3] = 0.06 + 0.94 * Math.min(1, activity * 1.6)
    into[at + 4] = 0.12 + 0.7 * activity
    into[at + 5] = 0.15 + 0.5 * activity * (0.55 + 0.45 * Math.max(bump(hour, 13, 2.5), bump(hour, 19, 2.5)))
    into[at + 6] = 0.25 + 0.75 * Math.min(1, activity * 2.5)
    into[at + 7] = isOpen ? 0.4 + 0.6 * activity : 0.06
    into[at + 8] = Math.max(0, Math.min(1.2, (outside - 11) / 18)) * (isOpen ? 0.55 + 0.45 * activity : 0.15)
    into[at + 9] = Math.max(0, (16 - outside) / 24) * (isOpen ? 1 + 0.35 * bump(hour, 7, 1.5) : 0.45)
    into[at + 10] = share
  }
}

/** A bump with its maximum of 1 at the hour `at`. It is 0 at the distance `width` from `at` and beyond. */
function bump(hour: number, at: number, width: number): number {
  const away = (hour - at) / width
  return away > -1 && away < 1 ? (1 - away * away) * (1 - away * away) : 0
}
