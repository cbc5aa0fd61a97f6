import { DAY_MS, STEPS } from './clock.ts'
import { cosTurn, seedAt, wander } from './noise.ts'

const YEAR_DAYS = 365.2425
/** Days from the turn of the year to its coldest, as a part of it. */
const COLDEST = 0.055

/** One weather series drives the whole building. */
export interface DayWeather {
  /** Outside air, °C. */
  outside: Float64Array
  /** The same without its course over the day: what the mass of the building feels. */
  outsideMean: Float64Array
  humidity: Float64Array
  /** Sun on a level surface, W/m². */
  sun: Float64Array
  wind: Float64Array
}

/** Weather of a middle European town over a UTC day, from the seed and the date alone. */
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
  const height = sunHeight(latitude, dayStartMs)
  for (let i = 0; i < STEPS; i++) {
    const day = dayStartMs / DAY_MS + i / STEPS
    const season = seasonAt(day)
    const sky = cloudAt(seed, day)
    const swing = swingAt(season, sky, day)
    const mean = meanOutside(seed, season, day)
    const sine = height.noon * cosTurn(day - NOON) + height.base
    weather.outsideMean[i] = mean
    weather.outside[i] = mean + swing
    weather.sun[i] = Math.max(0, sine) * 1000 * (1 - 0.72 * sky)
    weather.humidity[i] = Math.min(100, Math.max(22, 74 + 9 * season + 12 * (sky - 0.5) - 3.2 * swing))
    weather.wind[i] = Math.max(0.1, 3.6 + 2.4 * wander(windSeed, day * 1.9) + 1.2 * wander(gustSeed, day * 14))
  }
  return weather
}

/** Outside temperature alone, °C, at a time in days. */
export function outsideAt(seed: number, day: number): number {
  const season = seasonAt(day)
  return meanOutside(seed, season, day) + swingAt(season, cloudAt(seed, day), day)
}

/** Noon by the sun, as a part of the UTC day: Germany lies about ten degrees east. */
const NOON = 0.467
/** Air is warmest about three hours later. */
const WARMEST = 0.595

/** 1 in the coldest time of the year, -1 in the warmest. */
const seasonAt = (day: number) => cosTurn(day / YEAR_DAYS - COLDEST)

/** A clear summer day swings most. */
const swingAt = (season: number, sky: number, day: number) =>
  (2.2 - 1.1 * season) * (1.5 - sky) * cosTurn(day - WARMEST)

/** Season and passing weather: 0.6 in January, 19.8 in July, on average. */
function meanOutside(seed: number, season: number, day: number): number {
  return 10.2 - 9.6 * season + 5 * wander(seedAt(seed, 1), day / 4.3) + 2.2 * wander(seedAt(seed, 2), day / 1.7)
}

/** Share of the sky under cloud. */
function cloudAt(seed: number, day: number): number {
  const cover = 0.5 + 0.55 * wander(seedAt(seed, 6), day / 1.3) + 0.25 * wander(seedAt(seed, 7), day * 5)
  return Math.min(1, Math.max(0, cover))
}

/** Sine of the sun's height over the day: a constant and a cosine, by latitude and date. */
function sunHeight(latitude: number, dayStartMs: number): { noon: number; base: number } {
  const declination = -23.44 * cosTurn((dayStartMs / DAY_MS + 10) / YEAR_DAYS)
  const sine = (degrees: number) => cosTurn((degrees - 90) / 360)
  const cosine = (degrees: number) => cosTurn(degrees / 360)
  return { noon: cosine(latitude) * cosine(declination), base: sine(latitude) * sine(declination) }
}
