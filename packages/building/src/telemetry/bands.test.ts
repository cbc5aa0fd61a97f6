import { describe, expect, it } from 'vitest'
import type { BuildingSpec } from '../building.ts'
import { berlinOffsetMinutes } from './clock.ts'
import type { TelemetryModel } from './plan.ts'
import { lagOne, modelOf, quantile, readAll, type Samples } from './reading.test-kit.ts'

/** The Mondays of a cold, a mild and a hot week. */
const WEEKS = ['2026-01-12', '2026-04-13', '2026-07-06']
const DAY_MS = 86_400_000

/**
 * Expected ranges of energy use. The ranges of an office in office hours and of a mall with evening peaks come from
 * measured buildings. The ranges of the other profiles are derived. A profile that differs from the measured one only
 * in its hours has the same ratio of night to peak, and its peak is at another hour. With 24x7 the ratio is higher: an
 * office uses most of its peak power at night, and a mall about half.
 */
const ENERGY: {
  type: BuildingSpec['buildingType']
  profile: BuildingSpec['occupancyProfile']
  night: [number, number]
  weekend: [number, number]
  peakHour: [number, number]
}[] = [
  { type: 'office', profile: 'office-hours', night: [0.35, 0.55], weekend: [0.6, 0.8], peakHour: [12, 15] },
  { type: 'office', profile: 'peak-evenings', night: [0.35, 0.55], weekend: [0.6, 0.85], peakHour: [15, 20] },
  { type: 'office', profile: '24x7', night: [0.65, 0.9], weekend: [0.8, 1], peakHour: [10, 17] },
  { type: 'mall', profile: 'peak-evenings', night: [0.15, 0.3], weekend: [0.7, 1.1], peakHour: [11, 18] },
  { type: 'mall', profile: 'office-hours', night: [0.15, 0.3], weekend: [0.7, 1.1], peakHour: [11, 16] },
  { type: 'mall', profile: '24x7', night: [0.3, 0.6], weekend: [0.85, 1.15], peakHour: [11, 18] },
]

describe.each(ENERGY)('$type, $profile', ({ type, profile, night, weekend, peakHour }) => {
  const model = modelOf({
    seed: 'bands',
    buildingType: type,
    occupancyProfile: profile,
    storeys: 3,
    equipmentDensity: 'dense',
  })

  it.each(WEEKS)('[GEN-20] keeps rooms and energy within the expected ranges in the week of %s', (monday) => {
    const to = new Date(Date.parse(`${monday}T00:00:00Z`) + 7 * DAY_MS).toISOString()
    const all = readAll(model, `${monday}T00:00:00Z`, to, /(\.(ZNT|CO2|OCC|CNT)|^EM-MAIN\.KW)$/)
    const rooms = roomsInUse(model, all)

    const occupied = rooms.flatMap(({ temperature, isOccupied }) => pick(temperature, isOccupied, true))
    expectNear(quantile(occupied, 0.05), 20.8, 1)
    expectNear(quantile(occupied, 0.5), 21.8, 1)
    expectNear(quantile(occupied, 0.95), 23.5, 1)

    const empty = rooms.flatMap(({ co2, isOccupied }) => pick(co2, isOccupied, false))
    const full = rooms.flatMap(({ co2, isOccupied }) => pick(co2, isOccupied, true))
    // In a mall that never closes, spaces are empty for minutes only: too short for CO₂ to fall.
    expectBetween(quantile(empty, 0.5), [420, type === 'mall' && profile === '24x7' ? 700 : 560])
    expectBetween(quantile(full, 0.5), [600, 1000])
    expect(quantile(full, 0.95)).toBeLessThan(1800)

    expect(
      quantile(
        rooms.map(({ temperature }) => lagOne(temperature.values)),
        0.1,
      ),
    ).toBeGreaterThan(0.98)
    expect(
      quantile(
        rooms.map(({ co2 }) => lagOne(co2.values)),
        0.1,
      ),
    ).toBeGreaterThan(0.98)

    const energy = energyOf(all.get('EM-MAIN.KW')!)
    expectBetween(energy.nightToPeak, night)
    expectBetween(energy.weekendToWeekday, weekend)
    expectBetween(energy.peakHour, peakHour)
  })
})

interface Room {
  temperature: Samples
  co2: Samples
  isOccupied: Set<number>
}

/**
 * Active rooms that people use, with sensors of temperature, CO₂ and presence, and with a sample of temperature and CO₂
 * for every step.
 */
function roomsInUse({ building }: TelemetryModel, all: Map<string, Samples>): Room[] {
  const used = /office|meeting|shop|anchor|restaurant|food|concourse|atrium|lobby/
  return building.spaces.flatMap((space) => {
    if (!used.test(space.spaceType) || space.status !== 'active') return []
    const elements = new Set(building.elements.filter((e) => e.spaceKey === space.key).map((e) => e.key))
    const codes = building.points.filter((point) => elements.has(point.elementKey)).map((point) => point.code)
    const read = (suffix: RegExp) => codes.filter((code) => suffix.test(code)).map((code) => all.get(code))[0]
    const temperature = read(/\.ZNT$/)
    const co2 = read(/\.CO2$/)
    const presence = read(/\.(OCC|CNT)$/)
    const whole = 7 * 288
    if (!temperature || !co2 || !presence || temperature.values.length < whole || co2.values.length < whole) return []
    return [{ temperature, co2, isOccupied: occupiedSteps(presence) }]
  })
}

/** Steps in which the room was occupied. Counters report every step, presence sensors report changes. */
function occupiedSteps({ timesMs, values }: Samples): Set<number> {
  const steps = new Set<number>()
  values.forEach((value, i) => {
    if (value === 0) return
    const from = Math.floor(timesMs[i]! / 300_000)
    const until = i + 1 < timesMs.length ? Math.floor(timesMs[i + 1]! / 300_000) : from + 1
    for (let step = from; step < until; step++) steps.add(step)
  })
  return steps
}

const pick = ({ timesMs, values }: Samples, steps: Set<number>, isIn: boolean) =>
  values.filter((_, i) => steps.has(timesMs[i]! / 300_000) === isIn)

function energyOf({ timesMs, values }: Samples) {
  const hours = Array.from({ length: 24 }, () => ({ sum: 0, count: 0 }))
  const weekday = { sum: 0, count: 0 }
  const weekend = { sum: 0, count: 0 }
  const add = (to: { sum: number; count: number }, value: number) => {
    to.sum += value
    to.count++
  }
  values.forEach((value, i) => {
    const local = new Date(timesMs[i]! + berlinOffsetMinutes(timesMs[i]!) * 60_000)
    const isWeekend = local.getUTCDay() % 6 === 0
    add(isWeekend ? weekend : weekday, value)
    if (!isWeekend) add(hours[local.getUTCHours()]!, value)
  })
  const mean = ({ sum, count }: { sum: number; count: number }) => sum / count
  const profile = hours.map(mean)
  const peak = Math.max(...profile)
  return {
    nightToPeak: profile.slice(0, 5).reduce((sum, value) => sum + value, 0) / 5 / peak,
    weekendToWeekday: mean(weekend) / mean(weekday),
    peakHour: profile.indexOf(peak),
  }
}

const expectNear = (value: number, middle: number, by: number) => expectBetween(value, [middle - by, middle + by])

function expectBetween(value: number, [low, high]: [number, number]): void {
  expect(value).toBeGreaterThanOrEqual(low)
  expect(value).toBeLessThanOrEqual(high)
}
