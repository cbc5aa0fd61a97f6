import { planTelemetry, simulate } from '@storey/building'
import { AGGREGATIONS, type ObservationQuery } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../../testing/test-stack.ts'
import { encodeChunk, maxBytes } from '../storage/chunk-codec.ts'
import { readObservations } from './read-observations.ts'
import { readStart } from './read-series.ts'
import { readWindows } from './read-windows.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const until = Date.parse('2026-03-01T08:00:00.000Z')
const from = until - 2 * DAY_MS
const iso = (ms: number) => new Date(ms).toISOString()

interface Sample {
  at: number
  value: number
}
interface Bucket {
  timestamp: string
  value: number
  count: number
}

const FIRST_DAY = Date.parse('2025-09-01T00:00:00.000Z')
/** A meter that was replaced twice and silent for weeks: readings, with their time in days since `FIRST_DAY`. */
const METER: [day: number, value: number][] = [
  [0.25, 1000],
  [0.5, 1010],
  [0.75, 4],
  [1.1, 9],
  [40.5, 100],
  [40.6, 3],
  [40.99, 5],
  [41, 5],
  [41.5, 12],
  [150.2, 40],
]
const meterSamples = METER.map(([day, value]) => ({ at: FIRST_DAY + Math.round(day * DAY_MS), value }))

const clock = movableClock(new Date(until + 30 * 60_000))
let stack: TestStack
let temperature: { id: string; samples: Sample[] }
let energy: { id: string; samples: Sample[] }
let meter: string

beforeAll(async () => {
  stack = await startTestStack({}, { telemetryDays: 2 }, clock)
  temperature = seeded(/ZNT$/, 'DEG_C')
  energy = seeded(/./, 'KiloW-HR')
  meter = stack.other.idOf(stack.other.building.points[0]!.key)
  await store(meter, meterSamples)
})
afterAll(() => stack.close())

/** Writes the samples as pieces (rows of `observation_chunks`), one for each day, after the existing pieces. */
async function store(pointId: string, all: Sample[]): Promise<void> {
  for (const [dayStart, samples] of Map.groupBy(all, ({ at }) => Math.floor(at / DAY_MS) * DAY_MS)) {
    const target = new Uint8Array(maxBytes(samples.length))
    const offsetsMs = Uint32Array.from(samples, ({ at }) => at - dayStart)
    const end = encodeChunk({ offsetsMs, values: Float64Array.from(samples, ({ value }) => value) }, target, 0)
    await stack.db.rows(sql`
      insert into observation_chunks (point, day, count, data)
      select number, ${iso(dayStart).slice(0, 10)}::date, ${samples.length}, ${Buffer.from(target.subarray(0, end))}
      from points where id = ${pointId}`)
  }
}

function seeded(code: RegExp, unit: string): { id: string; samples: Sample[] } {
  const index = stack.building.points.findIndex((point) => code.test(point.code) && point.unit === unit)
  const samples: Sample[] = []
  for (const { dayStart, series } of simulate(planTelemetry(stack.building), new Date(from), new Date(until))) {
    for (const { pointIndex, offsetsMs, values } of series) {
      if (pointIndex !== index) continue
      for (let i = 0; i < values.length; i++) samples.push({ at: dayStart + offsetsMs[i]!, value: values[i]! })
    }
  }
  return { id: stack.idOf(stack.building.points[index]!.key), samples }
}

type Query = Record<string, string | number>
const readIn = (buildingId: string) => (query: Query) => {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return stack.get(`/api/v1/buildings/${buildingId}/telemetry/observations?${search}`)
}
const read = (query: Query) => readIn(stack.seeded.buildingId)({ from: iso(from), to: iso(until), ...query })
const readMeter = (query: Query) => readIn(stack.other.buildingId)({ pointId: meter, ...query })
const total = (buckets: Bucket[]) => buckets.reduce((sum, { value }) => sum + value, 0)
const inHour = (samples: Sample[], { timestamp }: Bucket) =>
  samples.filter(({ at }) => at >= Date.parse(timestamp) && at < Date.parse(timestamp) + HOUR_MS)

describe('GET …/telemetry/observations, raw', () => {
  it('[HIS-06] returns pages of days that are stored in several pieces, with the last stored value of each time', async () => {
    const pointId = stack.other.idOf(stack.other.building.points[1]!.key)
    const expected = new Map<number, number>()
    // Each day has three pieces: the second replaces all values of the first, the third replaces a few and adds
    // values at other times. The gaps between the days become longer and longer.
    for (const [day, piece] of [0, 1, 4, 30, 300].flatMap((day) => [0, 1, 2].map((piece) => [day, piece] as const))) {
      const samples = Array.from({ length: 30 }, (_, i) => ({
        at: FIRST_DAY + day * DAY_MS + (piece === 2 ? i * 7 : i * 10) * 60_000,
        value: piece * 1000 + i,
      }))
      await store(pointId, samples)
      for (const { at, value } of samples) expected.set(at, value)
    }
    const rows = [...expected].sort(([a], [b]) => a - b).map(([at, value]) => [iso(at), String(value)])
    for (const limit of [7, 45, 60, 200, 1000]) {
      const met: string[][] = []
      for (let next: string | null = iso(FIRST_DAY); next !== null; ) {
        const query: Query = { pointId, from: next, to: '2099-01-01T00:00:00Z', limit }
        const { body }: Awaited<ReturnType<typeof read>> = await readIn(stack.other.buildingId)(query)
        met.push(...body.data.map((row: { timestamp: string; value: string }) => [row.timestamp, row.value]))
        next = body.nextFrom
      }
      expect(met).toEqual(rows)
    }
  })

  it('[HIS-25] reads a dense day, including batches that are not folded yet, in windows of bounded size, and stops after a full page', async () => {
    const pointId = stack.other.idOf(stack.other.building.points[6]!.key)
    const start = until - DAY_MS / 2
    const expected = new Map<number, number>()
    const put = (samples: Sample[]) => {
      for (const { at, value } of samples) expected.set(at, value)
      return samples
    }
    const every = (ms: number, first: number, count: number, value: number) =>
      put(Array.from({ length: count }, (_, i) => ({ at: start + first + i * ms, value: value + i })))
    // Five consecutive pieces, a piece that overlaps all of them, and a piece that replaces five minutes.
    for (let i = 0; i < 5; i++) await store(pointId, every(100, i * 300_000, 3000, i))
    await store(pointId, every(500, 0, 3000, 10_000))
    await store(pointId, every(100, 700_000, 3000, 20_000))
    const late = every(700, 600_000, 500, 30_000)
    const observations = late.map(({ at, value }) => ({ pointId, value: String(value), timestamp: iso(at) }))
    const sent = await stack.send('POST', `/api/v1/buildings/${stack.other.buildingId}/telemetry/observations`, {
      observations,
    })
    expect(sent.status).toBe(202)
    const rows = [...expected].sort(([a], [b]) => a - b)
    const { number } = (await stack.db.row<{ number: number }>(sql`select number from points where id = ${pointId}`))!
    const source = { db: stack.db, point: number, check: () => undefined }
    for (const max of [500, 4000, 100_000]) {
      const met: [number, number][] = []
      for await (const { times, values } of readWindows(source, { from: start, to: until }, { max })) {
        expect(times.length).toBeLessThanOrEqual(2 * max)
        met.push(...Array.from(times, (at, i): [number, number] => [at, values[i]!]))
      }
      expect(met).toEqual(rows)
    }
    const { body } = await readIn(stack.other.buildingId)({ pointId, from: iso(start), to: iso(until), limit: 100 })
    expect(body.data.map(({ timestamp }: Bucket) => Date.parse(timestamp))).toEqual(
      rows.slice(0, 100).map(([at]) => at),
    )
    expect(Date.parse(body.nextFrom)).toBe(rows[100]![0])
    const page = await readStart(source, { from: start, to: until }, 100)
    expect(page.times.length).toBeLessThanOrEqual(200)
  })

  it('[HIS-29] stops reading when nobody waits for the result any more', async () => {
    const pointId = stack.other.idOf(stack.other.building.points[7]!.key)
    const start = until - 20 * DAY_MS
    // More than one window: a read has at most 200,000 observations at once.
    for (let day = 0; day < 20; day++) {
      const second = (i: number) => ({ at: start + day * DAY_MS + i * 1000, value: i % 7 })
      await store(
        pointId,
        Array.from({ length: 25_000 }, (_, i) => second(i)),
      )
    }
    let checks = 0
    const check = () => {
      if (++checks > 2) throw new Error('gone')
    }
    const range = { pointId, from: iso(start), to: iso(until) }
    const read = (query: ObservationQuery) =>
      readObservations({ db: stack.db, clock, check }, stack.other.buildingId, query)
    for (const query of [
      { ...range, maxPoints: 100 },
      { ...range, aggregation: 'sum' as const, interval: '1mo' as const },
      { ...range, aggregation: 'timeWeightedAvg' as const, interval: '1mo' as const },
    ]) {
      checks = 0
      await expect(read(query), JSON.stringify(query)).rejects.toThrow('gone')
    }
  })
})

describe('GET …/telemetry/observations, aggregated', () => {
  it('[HIS-17] returns the first value and the median of each hour', async () => {
    const { samples, id } = temperature
    const first = await read({ pointId: id, aggregation: 'first', interval: '1h' })
    expect(first).toMatchObject({ status: 200, body: { aggregation: 'first', nextFrom: null } })
    expect(first.body.data.length).toBeGreaterThan(40)
    for (const bucket of first.body.data) expect(bucket.value).toBe(inHour(samples, bucket)[0]!.value)
    const median = await read({ pointId: id, aggregation: 'median', interval: '1h' })
    for (const bucket of median.body.data) {
      const sorted = inHour(samples, bucket)
        .map(({ value }) => value)
        .sort((a, b) => a - b)
      expect(bucket.count).toBe(12)
      expect(bucket.value).toBeCloseTo((sorted[5]! + sorted[6]!) / 2, 9)
    }
  })

  it('[HIS-18] returns the consumption of a meter: the buckets add up to the difference between the readings', async () => {
    const { samples, id } = energy
    const start = samples[100]!.at
    const query = { pointId: id, from: iso(start), aggregation: 'delta' }
    const counted = samples.at(-1)!.value - samples[99]!.value
    expect(counted).toBeGreaterThan(0)
    for (const interval of ['1h', '1d', '1mo']) {
      const { body } = await read({ ...query, interval })
      expect(total(body.data)).toBeCloseTo(counted, 6)
    }
    const all = await read({ ...query, from: iso(from), interval: '1h' })
    expect(total(all.body.data)).toBeCloseTo(samples.at(-1)!.value - samples[0]!.value, 6)
  })

  it('[HIS-18] counts consumption over a gap of weeks, and from zero after the reading has dropped', async () => {
    const range = { from: iso(FIRST_DAY), to: iso(until), aggregation: 'delta' }
    const { body } = await readMeter({ ...range, interval: '1d' })
    expect(body.data.map(({ value, count }: Bucket) => [value, count])).toEqual([
      [10 + 4, 3],
      [5, 1],
      [91 + 3 + 2, 3],
      [7, 2],
      [28, 1],
    ])
    // The range begins between two readings. The reading before the range counts, however old the reading is.
    const late = await readMeter({ ...range, from: iso(FIRST_DAY + 100 * DAY_MS), interval: '1d' })
    expect(late.body.data.map(({ value }: Bucket) => value)).toEqual([28])
  })

  it.each([
    [1, 2],
    [5, 3],
    [100, 4],
    [1000, 5],
  ])('[HIS-18, HIS-19] finds the last value before the range, %d days before it', async (days, index) => {
    const pointId = stack.other.idOf(stack.other.building.points[index]!.key)
    await store(pointId, [
      { at: FIRST_DAY - days * DAY_MS - 1, value: 70 },
      { at: FIRST_DAY - days * DAY_MS, value: 80 },
      { at: FIRST_DAY + DAY_MS / 4, value: 100 },
    ])
    const query = { pointId, from: iso(FIRST_DAY), to: iso(FIRST_DAY + DAY_MS), interval: '1d' }
    const delta = await readIn(stack.other.buildingId)({ ...query, aggregation: 'delta' })
    expect(delta.body.data).toEqual([{ timestamp: iso(FIRST_DAY), value: 20, count: 1 }])
    const mean = await readIn(stack.other.buildingId)({ ...query, aggregation: 'timeWeightedAvg' })
    expect(mean.body.data).toEqual([{ timestamp: iso(FIRST_DAY), value: 95, count: 1 }])
  })

  it('[HIS-19] weights each value by how long it held', async () => {
    const { samples, id } = temperature
    const { body } = await read({ pointId: id, aggregation: 'timeWeightedAvg', interval: '1h' })
    for (const bucket of body.data) {
      const start = Date.parse(bucket.timestamp)
      const edges = [start, ...inHour(samples, bucket).map(({ at }) => at), start + HOUR_MS]
      let sum = 0
      let weight = 0
      for (const [i, edge] of edges.slice(0, -1).entries()) {
        const held = samples.findLast(({ at }) => at <= edge)
        if (!held) continue
        sum += held.value * (edges[i + 1]! - edge)
        weight += edges[i + 1]! - edge
      }
      expect(bucket.value).toBeCloseTo(sum / weight, 9)
    }
  })

  it('[HIS-19] also returns buckets without observations, from the first value until now', async () => {
    const wide = { from: iso(FIRST_DAY - 500 * DAY_MS), to: '2099-01-01T00:00:00Z', aggregation: 'timeWeightedAvg' }
    const { body } = await readMeter({ ...wide, interval: '1d' })
    const days = Math.ceil((clock.now().getTime() - FIRST_DAY) / DAY_MS)
    expect(body.data).toHaveLength(days)
    expect(body.data[0].timestamp).toBe(iso(FIRST_DAY))
    expect(body.data[0].value).toBeCloseTo((1000 + 1010 + 4) / 3, 9)
    expect(body.data[20]).toEqual({ timestamp: iso(FIRST_DAY + 20 * DAY_MS), value: 9, count: 0 })
    expect(body.data.at(-1)).toMatchObject({ value: 40, count: 0 })
    expect((await readMeter({ ...wide, to: iso(FIRST_DAY), interval: '1d' })).body.data).toEqual([])
    // The default range: the last 24 hours.
    const { body: today } = await readMeter({ aggregation: 'timeWeightedAvg', interval: '1h' })
    expect(today.data).toHaveLength(25)
    expect(total(today.data)).toBe(25 * 40)
  })

  it('[HIS-20] returns the same buckets in several pages as in one read', async () => {
    const day = fc.integer({ min: -10, max: 160 * 48 }).map((half) => FIRST_DAY + (half * DAY_MS) / 48)
    const query = fc.record({
      aggregation: fc.constantFrom(...AGGREGATIONS),
      interval: fc.constantFrom('7h', '1d', '3d', '1w', '1mo'),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin'),
    })
    const bounds = fc.tuple(day, day).map(([a, b]) => ({ from: iso(Math.min(a, b)), to: iso(Math.max(a, b)) }))
    await fc.assert(
      fc.asyncProperty(query, bounds, fc.integer({ min: 1, max: 9 }), async (asked, range, pages) => {
        const { body: whole } = await readMeter({ ...asked, ...range, limit: 10_000 })
        expect(whole.nextFrom).toBeNull()
        const limit = Math.ceil((whole.data.length || 1) / pages)
        const met: Bucket[] = []
        for (let next: string | null = range.from; next !== null; ) {
          const { body }: Awaited<ReturnType<typeof read>> = await readMeter({ ...asked, ...range, from: next, limit })
          expect(body.data.length).toBeLessThanOrEqual(limit)
          met.push(...body.data)
          next = body.nextFrom
        }
        expect(met).toEqual(whole.data)
      }),
      { numRuns: 60 },
    )
  })

  it('[HIS-02] reads a range from the first to the last possible year', async () => {
    const ages = { from: '0000-01-01T00:00:00Z', to: '9999-12-31T23:59:59-23:00' }
    expect((await readMeter(ages)).body.data).toHaveLength(METER.length)
    expect((await readMeter({ ...ages, aggregation: 'delta', interval: '12mo' })).body.data).toHaveLength(2)
    expect((await readMeter({ ...ages, aggregation: 'timeWeightedAvg', interval: '12mo' })).body.data).toHaveLength(2)
  })
})

describe('GET …/telemetry/observations?maxPoints', () => {
  it('[HIS-21] reduces a range to maxPoints of its observations, including the first and the last', async () => {
    const { samples, id } = temperature
    const { status, body } = await read({ pointId: id, maxPoints: 50 })
    expect(status).toBe(200)
    expect(body).toMatchObject({ pointId: id, limit: 50, nextFrom: null, sampledFrom: samples.length })
    expect(body.data).toHaveLength(50)
    const observed = samples.map(({ at, value }) => ({ timestamp: iso(at), value: String(value), source: null }))
    const places = body.data.map((row: { timestamp: string }) =>
      observed.findIndex(({ timestamp }) => timestamp === row.timestamp),
    )
    expect(body.data).toEqual(places.map((place: number) => observed[place]))
    expect(places).toEqual(places.toSorted((a: number, b: number) => a - b))
    expect([places[0], places.at(-1)]).toEqual([0, samples.length - 1])
  })

  it('[HIS-21] returns a whole range that has no more rows than maxPoints, and its number of rows', async () => {
    const whole = await read({ pointId: temperature.id })
    const all = await read({ pointId: temperature.id, maxPoints: temperature.samples.length })
    expect(all.body.data).toEqual(whole.body.data)
    expect(all.body.sampledFrom).toBe(temperature.samples.length)
    expect(whole.body).not.toHaveProperty('sampledFrom')
    const none = await read({ pointId: temperature.id, from: iso(until), maxPoints: 3 })
    expect(none.body).toMatchObject({ data: [], sampledFrom: 0, nextFrom: null })
  })

  it.each([
    ['[HIS-22]', { maxPoints: 2 }, '/maxPoints'],
    ['[HIS-22]', { maxPoints: 10_001 }, '/maxPoints'],
    ['[HIS-22]', { maxPoints: '7.5' }, '/maxPoints'],
    ['[HIS-22]', { maxPoints: 100, limit: 100 }, '/maxPoints'],
    ['[HIS-22]', { maxPoints: 100, aggregation: 'avg', interval: '1h' }, '/maxPoints'],
    ['[HIS-22]', { maxPoints: 100, interval: '1h' }, '/maxPoints'],
    ['[HIS-07]', { aggregation: 'timeweightedavg', interval: '1h' }, '/aggregation'],
    ['[HIS-09]', { aggregation: 'delta' }, '/interval'],
  ])('%s refuses %j', async (_rule, query, pointer) => {
    const { status, body } = await read({ pointId: temperature.id, ...(query as Query) })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer, in: 'query' }] })
    expect(body.detail).toContain(pointer.slice(1))
  })
})
