import { text } from 'node:stream/consumers'
import { AGGREGATIONS, type Aggregation } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import { type Database, sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../../testing/test-stack.ts'
import { querySeries } from './query-series.ts'

const NOW = '2026-03-10T08:00:00.000Z'
let stack: TestStack
let base: string
let points: string[]
beforeAll(async () => {
  stack = await startTestStack({}, { telemetryDays: 3, until: NOW }, movableClock(new Date(NOW)))
  base = `/api/v1/buildings/${stack.seeded.buildingId}/telemetry`
  points = stack.building.points.map(({ key }) => stack.idOf(key))
})
afterAll(() => stack.close())

const query = (body: object) => stack.send('POST', `${base}/query`, body)
const RANGE = { from: '2026-03-08T22:30:00Z', to: '2026-03-10T07:00:00Z' }
const ask = { ...RANGE, aggregation: 'avg', interval: '1h' }
const post = (observations: object[]) => stack.send('POST', `${base}/observations`, { observations })

/** Reads the same values with one request for each point. */
async function oneByOne(ids: string[], { from, to, aggregation, interval, timezone = 'UTC' }: Record<string, string>) {
  const rows = await Promise.all(
    ids.map(async (pointId) => {
      const search = new URLSearchParams({
        pointId,
        from,
        to,
        aggregation,
        interval,
        timezone,
        limit: '10000',
      } as never)
      return (await stack.get(`${base}/observations?${search}`)).body.data as { timestamp: string; value: number }[]
    }),
  )
  return rows.map((data) => new Map(data.map(({ timestamp, value }) => [timestamp, value])))
}

async function expectSame(ids: string[], asked: Record<string, string>) {
  const { status, body } = await query({ pointIds: ids, ...asked })
  expect(status, JSON.stringify(body).slice(0, 300)).toBe(200)
  expect(body.series.map(({ pointId }: { pointId: string }) => pointId)).toEqual(ids)
  const expected = await oneByOne(ids, asked)
  for (const [i, { values }] of body.series.entries()) {
    const mapped = body.timestamps.map((timestamp: string) => expected[i]!.get(timestamp) ?? null)
    expect(values, `${asked.aggregation} ${ids[i]}`).toEqual(mapped)
    expect([...expected[i]!.keys()].every((timestamp) => body.timestamps.includes(timestamp))).toBe(true)
  }
  return body
}

describe('POST …/telemetry/query', () => {
  it('[HIS-26] returns the same values as reads of single points, for every aggregation', async () => {
    const ids = points.slice(0, 12)
    for (const aggregation of AGGREGATIONS) await expectSame(ids, { ...ask, aggregation })
    const { timestamps } = await expectSame(ids, { ...ask, interval: '1d', timezone: 'Europe/Berlin' })
    expect(timestamps).toEqual(['2026-03-07T23:00:00.000Z', '2026-03-08T23:00:00.000Z', '2026-03-09T23:00:00.000Z'])
  })

  it('[HIS-26] takes into account what waits to be folded, texts that replace numbers, and values before the range', async () => {
    const [first, second, third] = points.slice(20, 23) as [string, string, string]
    await post([
      { pointId: first, value: '500', timestamp: '2026-03-09T10:10:00Z' },
      { pointId: second, value: '7', timestamp: '2026-02-01T00:00:00Z' },
      { pointId: third, value: 'off', timestamp: '2026-03-07T00:00:00Z' },
      { pointId: third, value: '3', timestamp: '2026-01-07T00:00:00Z' },
    ])
    const asked = (aggregation: Aggregation) => ({ ...ask, aggregation, from: '2026-03-01T00:00:00Z' })
    for (const when of ['waiting', 'folded']) {
      for (const aggregation of ['avg', 'delta', 'timeWeightedAvg', 'last', 'count'] as const) {
        await expectSame([third, first, second], asked(aggregation))
      }
      await stack.folded()
      expect(when).toBeTruthy()
    }
    await post([{ pointId: first, value: 'broken', timestamp: '2026-03-09T10:10:00Z' }])
    const { series } = await expectSame([first], { ...ask, aggregation: 'max' })
    expect(Math.max(...series[0].values)).toBeLessThan(500)
  })

  it('[HIS-26] finds the last number before the range, even if a later day before the range has only texts', async () => {
    const pointId = points[30]!
    await post([
      { pointId, value: '4', timestamp: '2026-01-01T00:00:00Z' },
      { pointId, value: 'off', timestamp: '2026-02-01T00:00:00Z' },
    ])
    await stack.folded()
    const asked = { ...ask, aggregation: 'timeWeightedAvg', from: '2026-02-10T00:00:00Z', to: '2026-02-11T00:00:00Z' }
    const { series } = await expectSame([pointId, points[0]!], asked)
    expect(series[0].values).toEqual(Array(24).fill(4))
    expect(series[1].values).toEqual(Array(24).fill(null))
  })

  it('[HIS-26] finds the last number before the range, even if an older one waits to be folded', async () => {
    const pointId = points[31]!
    await post([
      { pointId, value: '5', timestamp: '2026-01-20T00:00:00Z' },
      { pointId, value: 'off', timestamp: '2026-02-01T00:00:00Z' },
    ])
    await stack.folded()
    await post([{ pointId, value: '4', timestamp: '2026-01-10T00:00:00Z' }])
    const asked = { ...ask, aggregation: 'timeWeightedAvg', from: '2026-02-10T00:00:00Z', to: '2026-02-11T00:00:00Z' }
    const { series } = await expectSame([pointId], asked)
    expect(series[0].values).toEqual(Array(24).fill(5))
  })

  it('[HIS-30] adds the smallest and the largest value of each interval, which count towards the limit', async () => {
    const pointIds = points.slice(0, 6)
    for (const aggregation of ['avg', 'timeWeightedAvg']) {
      const { body } = await query({ pointIds, ...ask, aggregation, extremes: true })
      const [plain, lows, highs] = await Promise.all(
        [aggregation, 'min', 'max'].map(
          async (one) => (await query({ pointIds, ...ask, aggregation: one })).body.series,
        ),
      )
      for (const [i, { pointId, ...series }] of body.series.entries()) {
        expect(pointId).toBe(pointIds[i])
        expect(series).toEqual({ values: plain[i].values, minimums: lows[i].values, maximums: highs[i].values })
      }
      expect(plain[0].minimums).toBeUndefined()
    }
    const many = { pointIds, ...ask, interval: '1s', from: '2026-03-08T00:00:00Z', to: '2026-03-09T12:00:00Z' }
    expect((await query(many)).status).toBe(200)
    expect((await query({ ...many, extremes: true })).body.errors[0].pointer).toBe('/interval')
  })

  it('[HIS-27] returns the points of a storey with a quantity kind, ordered by code', async () => {
    const storeyId = stack.idOf(stack.building.storeys[1]!.key)
    const { status, body } = await query({ storeyId, quantityKind: 'Temperature', ...ask })
    expect(status).toBe(200)
    const rows = await stack.db.rows<{ id: string }>(sql`
      select p.id from points p join elements e on e.id = p.element_id left join spaces s on s.id = e.space_id
      where p.quantity_kind = 'Temperature' and ${storeyId} in (e.storey_id::text, s.storey_id::text) order by p.code`)
    expect(rows.length).toBeGreaterThan(3)
    expect(body.series.map(({ pointId }: { pointId: string }) => pointId)).toEqual(rows.map(({ id }) => id))
    expect((await query({ storeyId, quantityKind: 'Irradiance', ...ask })).body.series).toEqual([])
  })

  it('[HIS-28] accepts at most 1,000 points and 1,000,000 values', async () => {
    const many = Array.from({ length: 1001 }, (_, i) => `p${i}`)
    expect((await query({ pointIds: many, ...ask })).body.errors[0].pointer).toBe('/pointIds')
    const asked = { pointIds: points.slice(0, 2), ...ask, interval: '1s', from: '2026-03-01T00:00:00Z' }
    const until = (ms: number) => new Date(Date.parse(asked.from) + ms).toISOString()
    const large = await query({ ...asked, to: until(20_000_000) })
    expect(large.body.timestamps).toHaveLength(20_000)
    expect(large.body.series.map(({ values }: { values: unknown[] }) => values.length)).toEqual([20_000, 20_000])
    expect((await query({ ...asked, to: until(500_000_001) })).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/interval', in: 'body' }],
    })
    const ages = { ...ask, from: '0001-01-01T00:00:00Z', to: '9999-12-31T00:00:00Z' }
    expect((await query({ pointIds: [points[0]!], ...ages, interval: '1s' })).status).toBe(400)
    expect((await query({ pointIds: [points[0]!], ...ages, interval: '1200mo' })).body.timestamps).toHaveLength(101)
    const beyond = { from: '0000-01-01T00:00:00+12:00', to: '9999-12-31T23:59:59-12:00', interval: '120000mo' }
    for (const aggregation of ['count', 'timeWeightedAvg']) {
      const { status, body } = await query({ pointIds: [points[0]!], ...beyond, aggregation })
      expect([status, body.series[0].values.filter((value: number | null) => value !== null).length]).toEqual([200, 1])
    }
  })

  it('[HIS-28] lists unknown points, and names a wrong field', async () => {
    const [pointId] = points as [string]
    const elsewhere = stack.other.idOf(stack.other.building.points[0]!.key)
    expect((await query({ pointIds: ['x', pointId, elsewhere], ...ask })).body).toMatchObject({
      code: 'UNKNOWN_POINTS',
      pointIds: ['x', elsewhere],
    })
    const storeyId = stack.idOf(stack.building.storeys[0]!.key)
    const ofOther = stack.other.idOf(stack.other.building.storeys[0]!.key)
    const quantityKind = 'Temperature'
    const wrong: [object, string][] = [
      [{ ...ask }, '/pointIds'],
      [{ ...ask, pointIds: [] }, '/pointIds'],
      [{ ...ask, pointIds: [pointId, pointId] }, '/pointIds'],
      [{ ...ask, pointIds: [pointId, pointId.toUpperCase()] }, '/pointIds'],
      [{ ...ask, pointIds: [pointId], storeyId }, '/storeyId'],
      [{ ...ask, pointIds: [pointId], quantityKind }, '/quantityKind'],
      [{ ...ask, storeyId }, '/quantityKind'],
      [{ ...ask, storeyId, quantityKind: 'Charm' }, '/quantityKind'],
      [{ ...ask, storeyId: ofOther, quantityKind }, '/storeyId'],
      [{ ...ask, storeyId: 'x', quantityKind }, '/storeyId'],
      [{ ...ask, pointIds: [pointId], from: 'yesterday' }, '/from'],
      [{ ...ask, pointIds: [pointId], from: ask.to, to: ask.from }, '/from'],
      [{ ...ask, pointIds: [pointId], timezone: 'Mars' }, '/timezone'],
      [{ ...ask, pointIds: [pointId], interval: '0h' }, '/interval'],
      [{ ...ask, pointIds: [pointId], aggregation: 'mode' }, '/aggregation'],
      [{ ...ask, pointIds: [pointId], to: undefined }, '/to'],
      [{ ...ask, pointIds: [pointId], limit: 5 }, '/limit'],
    ]
    for (const [body, pointer] of wrong) {
      const answer = await query(body)
      expect(answer.status, pointer).toBe(400)
      expect(answer.body.errors[0].pointer, JSON.stringify(body)).toBe(pointer)
    }
    const empty = await query({ ...ask, pointIds: [pointId], to: ask.from })
    expect(empty.body).toEqual({ timestamps: [], series: [{ pointId, values: [] }] })
  })

  it('[HIS-29] reads more than 100 points with fewer than 20 statements', async () => {
    const ids = points.slice(0, 1000)
    let count = 0
    const counted = <T>(run: () => T): T => {
      count++
      return run()
    }
    const db: Database = {
      ...stack.db,
      row: (statement) => counted(() => stack.db.row(statement)),
      rows: (statement) => counted(() => stack.db.rows(statement)),
      session: (work) => counted(() => stack.db.session(work)),
      snapshot: (work) => counted(() => stack.db.snapshot(work)),
    }
    const parts = { db, clock: movableClock(new Date(NOW)), admit: async () => undefined, check: () => undefined }
    for (const aggregation of ['avg', 'timeWeightedAvg'] as const) {
      count = 0
      const asked = { ...ask, aggregation, interval: '1h', from: '2026-03-01T00:00:00Z', pointIds: ids }
      const table = JSON.parse(await text(await querySeries(parts, stack.seeded.buildingId, asked)))
      expect(table.series).toHaveLength(ids.length)
      expect(count).toBeLessThan(20)
    }
    expect(ids.length).toBeGreaterThan(100)
  })

  it('[HIS-29] ends when nobody waits for the result any more', async () => {
    const parts = { db: stack.db, clock: movableClock(new Date(NOW)), admit: async () => undefined }
    const check = () => {
      throw new Error('gone')
    }
    const asked = { ...ask, aggregation: 'avg' as const, pointIds: points.slice(0, 3) }
    await expect(querySeries({ ...parts, check }, stack.seeded.buildingId, asked)).rejects.toThrow('gone')
  })

  it('[HIS-26] requires a token, and a building that exists', async () => {
    const body = { pointIds: [points[0]], ...ask }
    expect((await stack.send('POST', `${base}/query`, body, null)).status).toBe(401)
    const nowhere = base.replace(stack.seeded.buildingId, '0191b6a0-0000-7000-8000-000000000000')
    expect((await stack.send('POST', `${nowhere}/query`, body)).status).toBe(404)
  })
})
