import type { Building } from '../building.ts'
import { DAY_MS, type DayClock, dayClock, STEPS } from './clock.ts'
import { seedAt, smoothNoise } from './noise.ts'
import { peakShare, type ShareAt, shareAt } from './occupancy.ts'
import { type DayWeather, dayWeather } from './weather.ts'

/** The conditions of the whole building at each step of a day. */
export interface DayConditions {
  dayStartMs: number
  clock: DayClock
  weather: DayWeather
  /** The people present, as a share of the building's capacity. */
  share: Float64Array
  /** `share` divided by 92% of the usual peak, at most 1. Lights and appliances follow this value. */
  activity: Float64Array
  /** 1 while the air handlers run: from two hours before people come until they leave. */
  isOpen: Uint8Array
}

/** Below this part of the peak the building counts as unoccupied. */
const OPEN_ABOVE = 0.2
const LEAD_HOURS = 2

/** What the conditions of a date are computed from. */
export interface Climate {
  seed: number
  latitude: number
  share: ShareAt
  peak: number
}

export function climateOf({ spec, building }: Building, seed: number): Climate {
  return { seed, latitude: building.location.latitude, share: shareAt(spec), peak: peakShare(spec) }
}

export function dayConditions(climate: Climate, dayStartMs: number): DayConditions {
  const clock = dayClock(dayStartMs)
  const share = new Float64Array(STEPS)
  const activity = new Float64Array(STEPS)
  const isOpen = new Uint8Array(STEPS)
  for (let i = 0; i < STEPS; i++) {
    const day = dayStartMs / DAY_MS + i / STEPS
    share[i] = presentAt(climate, clock.weekday[i]!, clock.hour[i]!, day)
    activity[i] = activityOf(climate, share[i]!)
    isOpen[i] = isOpenAt(climate, clock.weekday[i]!, clock.hour[i]!) ? 1 : 0
  }
  return { dayStartMs, clock, weather: dayWeather(climate.seed, climate.latitude, dayStartMs), share, activity, isOpen }
}

/** The scheduled share, with a small variation from day to day. */
export function presentAt({ seed, share }: Climate, weekday: number, hour: number, day: number): number {
  return Math.min(1, share(weekday, hour) * (1 + 0.07 * smoothNoise(seedAt(seed, 11), day)))
}

export const activityOf = ({ peak }: Climate, share: number): number => Math.min(1, share / (0.92 * peak))

export function isOpenAt({ share, peak }: Climate, weekday: number, hour: number): boolean {
  const later = hour + LEAD_HOURS
  const ahead = later < 24 ? share(weekday, later) : share((weekday + 1) % 7, later - 24)
  return Math.max(share(weekday, hour), ahead) >= OPEN_ABOVE * peak
}
