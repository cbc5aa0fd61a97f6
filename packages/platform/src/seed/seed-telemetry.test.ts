import { generateBuilding, injectedFaults, planTelemetry, simulate } from '@storey/building'
import { readMigrations, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeChunk } from '../features/telemetry/storage/chunk-codec.ts'
import { MIGRATIONS_DIRECTORY } from '../migrations.ts'
import { SMALL, seedRequest } from '../testing/test-stack.ts'
import { seedBuilding } from './seed-building.ts'

const DAY_MS = 86_400_000
const STEP_MS = 300_000
const DAYS = 3
/** The end of the history is not at a multiple of the interval, and is early in the UTC day. */
const until = new Date('2026-03-29T01:07:31.250Z')
const from = new Date(until.getTime() - DAYS * DAY_MS)
const building = generateBuilding(SMALL)
const model = planTelemetry(building)

type Series = Map<number, { at: number; value: number }[]>

describe('the seeded history', () => {
  let test: TestDatabase
  let stored: Series
  let codes: Map<number, string>
  const steps: [number, string][] = []
  beforeAll(async () => {
    test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
    const request = seedRequest({ telemetryDays: DAYS, until: until.toISOString() })
    await seedBuilding(test.database, request, (percent, step) => steps.push([percent, step]))
    const points = await test.database.rows<{ number: number; code: string }>(sql`select number, code from points`)
    codes = new Map(points.map(({ number, code }) => [number, code]))
    stored = await readAll(test)
  })
  afterAll(() => test.drop())

  it('[GEN-18] equals the model, sample for sample', () => {
    const expected = new Map<string, { at: number; value: number }[]>()
    for (const { dayStart, series } of simulate(model, from, until)) {
      for (const { pointIndex, offsetsMs, values, texts } of series) {
        if (texts) continue
        const code = building.points[pointIndex]!.code
        const samples = Array.from(values, (value, i) => ({ at: dayStart + offsetsMs[i]!, value: value + 0 }))
        expected.set(code, [...(expected.get(code) ?? []), ...samples])
      }
    }
    expect(stored.size).toBe(expected.size)
    for (const [point, samples] of stored) expect(samples, codes.get(point)).toEqual(expected.get(codes.get(point)!))
  })

  it('[GEN-18] covers its days in whole intervals, up to the time of creation, without a gap', () => {
    const faulty = new Set(
      injectedFaults(model, from, until).map(({ pointIndex }) => building.points[pointIndex]!.code),
    )
    const regular = [...stored].filter(([point, samples]) => !faulty.has(codes.get(point)!) && isRegular(samples))
    expect(regular.length).toBeGreaterThan(building.points.length / 3)
    for (const [point, samples] of regular) {
      const step = samples[1]!.at - samples[0]!.at
      const code = codes.get(point)
      expect(samples[0]!.at - from.getTime(), code).toBeLessThan(step)
      expect(until.getTime() - samples.at(-1)!.at, code).toBeLessThanOrEqual(step)
      expect(
        samples.every(({ at }, i) => i === 0 || at - samples[i - 1]!.at === step),
        code,
      ).toBe(true)
      expect(samples[0]!.at % step, code).toBe(0)
    }
  })

  it('[GEN-19] has a last value for every point, the newest of its series', async () => {
    const latest = await test.database.rows<{ point: number; at: Date; value: string }>(
      sql`select point, at, value from latest_values`,
    )
    expect(latest).toHaveLength(building.points.length)
    for (const { point, at, value } of latest) {
      expect(at.getTime()).toBeLessThan(until.getTime())
      expect(at.getTime()).toBeGreaterThanOrEqual(from.getTime())
      const samples = stored.get(point)
      if (samples) expect({ at: at.getTime(), value: Number(value) }).toEqual(samples.at(-1))
      else expect(Number(value)).toBeNaN()
    }
  })

  it('comes with a list of the injected faults', async () => {
    const rows = await test.database.rows<{ id: string; kind: string }>(
      sql`select id, kind from injected_faults order by id`,
    )
    const expected = injectedFaults(model, from, until).map(({ id, kind }) => ({ id, kind }))
    expect(rows).toEqual(expected.sort((a, b) => (a.id < b.id ? -1 : 1)))
  })

  it('is reported day by day while it is written', () => {
    expect(steps.map(([, step]) => step)).toContain('Writing the history of 2026-03-27')
    expect(steps.map(([percent]) => percent)).toEqual(steps.map(([percent]) => percent).toSorted((a, b) => a - b))
  })
})

describe('a seeding with no days of history', () => {
  it('[GEN-18] writes no history', async () => {
    const test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
    await seedBuilding(test.database, seedRequest({ telemetryDays: 0 }), () => undefined)
    const row = await test.database.row(sql`select
      (select count(*) from observation_chunks) as chunks, (select count(*) from latest_values) as latest`)
    expect(row).toEqual({ chunks: 0, latest: 0 })
    await test.drop()
  })
})

function isRegular(samples: { at: number }[]): boolean {
  const step = samples[1] ? samples[1].at - samples[0]!.at : 0
  return step === STEP_MS || step === 3 * STEP_MS
}

async function readAll({ database }: TestDatabase): Promise<Series> {
  const rows = await database.rows<{ point: number; day: string; count: number; data: Buffer }>(
    sql`select point, day::text, count, data from observation_chunks order by point, day, sequence`,
  )
  const series: Series = new Map()
  for (const { point, day, count, data } of rows) {
    const { offsetsMs, values } = decodeChunk(data)
    expect(values.length).toBe(count)
    const samples = Array.from(values, (value, i) => ({ at: Date.parse(day) + offsetsMs[i]!, value }))
    series.set(point, [...(series.get(point) ?? []), ...samples])
  }
  return series
}
