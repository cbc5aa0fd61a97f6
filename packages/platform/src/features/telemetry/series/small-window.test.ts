import { movableClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../../testing/test-stack.ts'
import { DayPieces } from './day-pieces.ts'
import { readWindow, type SeriesPoint } from './series.store.ts'
import { readSmallWindow } from './small-window.store.ts'

const DAY_MS = 86_400_000
const until = Date.parse('2026-03-01T08:00:00.000Z')
const range = { from: until - 3 * DAY_MS, to: until }

let stack: TestStack
let pointId: string
beforeAll(async () => {
  stack = await startTestStack({}, { telemetryDays: 2 }, movableClock(new Date(until + 30 * 60_000)))
  pointId = stack.idOf(stack.building.points.find(({ code }) => code.endsWith('ZNT'))!.key)
})
afterAll(() => stack.close())

const ingest = (observations: object[]) =>
  stack.send('POST', `/api/v1/buildings/${stack.seeded.buildingId}/telemetry/observations`, { observations })

async function readBoth(
  point: () => SeriesPoint,
  { from, to, max = 100_000 }: { from: number; to: number; max?: number },
) {
  const bounds = { from, to, max }
  return await stack.db.session(async (tx) => {
    const small = await readSmallWindow(tx, point(), bounds, true)
    const large = await readWindow(tx, point(), bounds, new DayPieces(max), true)
    return { small: small?.series(), large: large.series() }
  })
}

it('[HIS-25] readSmallWindow reads little data with the same result as readWindow', async () => {
  for (const [i, value] of ['1', '2', '3'].entries()) {
    const observations = [10, 20, 30 + i].map((minutes) => ({
      ...{ pointId, value, source: `gateway ${i}` },
      timestamp: new Date(until - minutes * 60_000).toISOString(),
    }))
    expect((await ingest(observations)).status).toBe(202)
  }
  const { number } = (await stack.db.row<{ number: number }>(sql`select number from points where id = ${pointId}`))!
  for (const point of [() => number, () => ({ buildingId: stack.seeded.buildingId, pointId })]) {
    const { small, large } = await readBoth(point, range)
    expect(small!.times.length).toBeGreaterThan(500)
    expect(small).toEqual(large)
  }
  const missing = () => ({ buildingId: stack.seeded.buildingId, pointId: stack.seeded.buildingId })
  await expect(readBoth(missing, range)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await readBoth(() => number, { from: until + DAY_MS, to: until + DAY_MS + 1 })).toMatchObject({
    small: { times: new Float64Array() },
  })
})

it('[HIS-25] readSmallWindow returns undefined if there is much data, and readWindow reads that data', async () => {
  const point = () => ({ buildingId: stack.seeded.buildingId, pointId })
  expect((await readBoth(point, { ...range, max: 1 })).small).toBeUndefined()
  const other = stack.idOf(stack.building.points[1]!.key)
  const text = 'x'.repeat(1000)
  const timestamp = new Date(until - 60_000).toISOString()
  const observations = Array.from({ length: 600 }, () => ({ pointId: other, value: text, timestamp }))
  expect((await ingest(observations)).status).toBe(202)
  const { small, large } = await readBoth(point, range)
  expect(small).toBeUndefined()
  expect(large.times.length).toBeGreaterThan(500)
})
