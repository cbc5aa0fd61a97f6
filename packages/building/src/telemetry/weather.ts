import { DAY_MS, STEPS } from './clock.ts'
import { cosTurn, seedAt, smoothNoise } from './noise.ts'

const YEAR_DAYS = 365.2425
/** The coldest day, as a fraction of the year. */
const COLDEST = 0.055

/** The weather at each step of a day. It is the same for all rooms and equipment of the building. */
export interface DayWeather {
  /** Outside air, °C. */
  outside: Float64Array
  /** Outside air without its variation during the day, °C. Walls and floors follow this temperature. */
  outsideMean: Float64Array
  humidity: Float64Array
  /** Solar irradiance on a horizontal surface, W/m². */
  sun: Float64Array
  wind: Float64Array
}

/** The weather of a Central European town over a UTC day. It depends only on the seed, the latitude and the date. */
export function dayWeather(seed: number, latitude: number, dayStartMs: number): DayWeather {
  const weather: DayWeather = {
    outside: new Float64Array(STEPS),
    outsideMean: new Float64Array(STEPS),
    humidity: new Float64Array(STEPS),
    sun: new Float64Array(STEPS),
    wind: new Float64Array(STEPS),
  }
  const windSeed = seedAt(seed, 4)
  const gustSeed = seedAt(seed, 5)
  const elevation = solarElevation(latitude, dayStartMs)
  for (let i = 0; i < STEPS; i++) {
    const day = dayStartMs / DAY_MS + i / STEPS
    const season = seasonAt(day)
    const cloud = cloudAt(seed, day)
    const swing = swingAt(season, cloud, day)
    const mean = meanOutside(seed, season, day)
    const sine = elevation.noon * cosTurn(day - NOON) + elevation.base
    weather.outsideMean[i] = mean
    weather.outside[i] = mean + swing
    weather.sun[i] = Math.max(0, sine) * 1000 * (1 - 0.72 * cloud)
    weather.humidity[i] = Math.min(100, Math.max(22, 74 + 9 * season + 12 * (cloud - 0.5) - 3.2 * swing))
    weather.wind[i] = Math.max(
      0.1,
      3.6 + 2.4 * smoothNoise(windSeed, day * 1.9) + 1.2 * smoothNoise(gustSeed, day * 14),
    )
  }
  return weather
}

/** The outside temperature, °C, at a time in days since the epoch. */
export function outsideAt(seed: number, day: number): number {
  const season = seasonAt(day)
  return meanOutside(seed, season, day) + swingAt(season, cloudAt(seed, day), day)
}

/** Solar noon as a fraction of the UTC day, at about twelve degrees east. */
const NOON = 0.467
/** The air is warmest about three hours after solar noon. */
const WARMEST = 0.595

/** 1 in the coldest time of the year, -1 in the warmest. */
const seasonAt = (day: number) => cosTurn(day / YEAR_DAYS - COLDEST)

/** The deviation from the day's mean temperature. It is largest on a clear summer day. */
const swingAt = (season: number, cloud: number, day: number) =>
  (2.2 - 1.1 * season) * (1.5 - cloud) * cosTurn(day - WARMEST)

/** The mean temperature by season and weather, °C: on average 0.6 in January and 19.8 in July. */
function meanOutside(seed: number, season: number, day: number): number {
  return (
    10.2 - 9.6 * season + 5 * smoothNoise(seedAt(seed, 1), day / 4.3) + 2.2 * smoothNoise(seedAt(seed, 2), day / 1.7)
  )
}

/** Cloud cover, from 0 to 1. */
function cloudAt(seed: number, day: number): number {
  const cover = 0.5 + 0.55 * smoothNoise(seedAt(seed, 6), day / 1.3) + 0.25 * smoothNoise(seedAt(seed, 7), day * 5)
  return Math.min(1, Math.max(0, cover))
}

/** The sine of the solar elevation over the day is a constant (`base`) plus a cosine (with the amplitude `noon`). */
function solarElevation(latitude: number, dayStartMs: number): { noon: number; base: number } {
  const declination = -23.44 * cosTurn((dayStartMs / DAY_MS + 10) / YEAR_DAYS)
  const sine = (degrees: number) => cosTurn((degrees - 90) / 360)
  const cosine = (degrees: number) => cosTurn(degrees / 360)
  return { noon: cosine(latitude) * cosine(declination), base: sine(latitude) * sine(declination) }
}
