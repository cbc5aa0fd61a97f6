import { planTelemetry, simulate } from '@storey/building'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

const DAY_MS = 86_400_000
const until = Date.parse('2026-03-01T08:00:00.000Z')
const from = until - 2 * DAY_MS

let stack: TestStack
let base: string
let point: { id: string; code: string }
let samples: { at: number; value: number }[]

beforeAll(async () => {
  stack = await startTestStack({}, { telemetryDays: 2 })
  base = `/api/v1/buildings/${stack.seeded.buildingId}/telemetry`
  const index = stack.building.points.findIndex(({ code }) => /ZNT$/.test(code))
  const drawn = stack.building.points[index]!
  point = { id: stack.idOf(drawn.key), code: drawn.code }
  samples = []
  for (const { dayStart, series } of simulate(planTelemetry(stack.building), new Date(from), new Date(until))) {
    for (const { pointIndex, offsetsMs, values } of series) {
      if (pointIndex !== index) continue
      for (let i = 0; i < values.length; i++) samples.push({ at: dayStart + offsetsMs[i]!, value: values[i]! })
    }
  }
})
afterAll(() => stack.close())

const iso = (ms: number) => new Date(ms).toISOString()
const read = (query: Record<string, string | number>) => {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return stack.get(`${base}/observations?${search}`)
}
const whole = () => ({ pointId: point.id, from: iso(from), to: iso(until) })

describe('GET …/telemetry/observations', () => {
  it('[HIS-03, HIS-05] returns observations ascending in time, with values as text', async () => {
    const { status, body } = await read(whole())
    expect(status).toBe(200)
    expect(body).toMatchObject({ pointId: point.id, limit: 1000, nextFrom: null })
    expect(body.data).toEqual(
      samples.map(({ at, value }) => ({ timestamp: iso(at), value: String(value), source: null })),
    )
  })

  it('[HIS-02] includes `from`, excludes `to`, and returns the last day before `to` if `from` is absent', async () => {
    const [first, , third] = samples
    const { body } = await read({ pointId: point.id, from: iso(first!.at), to: iso(third!.at) })
    expect(body.data.map((row: { timestamp: string }) => row.timestamp)).toEqual(
      samples.slice(0, 2).map(({ at }) => iso(at)),
    )
    const day = await read({ pointId: point.id, to: iso(until) })
    expect(day.body.data[0].timestamp).toBe(iso(samples.find(({ at }) => at >= until - DAY_MS)!.at))
    expect((await read({ pointId: point.id, from: iso(until), to: iso(until) })).body.data).toEqual([])
  })

  it('[HIS-06] pages without a gap or a repeat', async () => {
    const met: string[] = []
    let next: string | null = iso(from)
    while (next !== null) {
      const { body }: Awaited<ReturnType<typeof read>> = await read({ ...whole(), from: next, limit: 100 })
      met.push(...body.data.map((row: { timestamp: string }) => row.timestamp))
      next = body.nextFrom
    }
    expect(met).toEqual(samples.map(({ at }) => iso(at)))
  })

  it('[HIS-04] accepts a limit of at most 10000', async () => {
    expect((await read({ ...whole(), limit: 10_000 })).status).toBe(200)
    expect(await read({ ...whole(), limit: 10_001 })).toMatchObject({ status: 400, body: { code: 'LIMIT_TOO_LARGE' } })
  })

  it('[HIS-10, HIS-11] aggregates by intervals', async () => {
    const { body } = await read({ ...whole(), aggregation: 'avg', interval: '1h' })
    expect(body).toMatchObject({
      pointId: point.id,
      aggregation: 'avg',
      interval: '1h',
      timezone: 'UTC',
      nextFrom: null,
    })
    const byHour = Map.groupBy(samples, ({ at }) => Math.floor(at / 3_600_000))
    expect(body.data).toHaveLength(byHour.size)
    for (const { timestamp, value, count } of body.data) {
      const hour = byHour.get(Date.parse(timestamp) / 3_600_000)!
      expect(count).toBe(hour.length)
      expect(value).toBeCloseTo(hour.reduce((sum, sample) => sum + sample.value, 0) / hour.length, 9)
    }
  })

  it('[HIS-06, HIS-13] pages over intervals, and begins days at midnight in the given time zone', async () => {
    const query = { ...whole(), aggregation: 'count', interval: '1d', timezone: 'Europe/Berlin' }
    const { body } = await read({ ...query, limit: 1 })
    expect(body.data).toHaveLength(1)
    expect(body.data[0].timestamp).toMatch(/T23:00:00\.000Z$/)
    const rest = await read({ ...query, from: body.nextFrom })
    const total = [...body.data, ...rest.body.data].reduce((sum, { count }) => sum + count, 0)
    expect(total).toBe(samples.length)
  })

  it.each([
    ['[HIS-01]', {}, '/pointId'],
    ['[HIS-02]', { pointId: 'x', from: '2026-01-01T00:00:00' }, '/from'],
    ['[HIS-02]', { pointId: 'x', to: 'yesterday' }, '/to'],
    ['[HIS-02]', { pointId: 'x', from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/from'],
    ['[HIS-07]', { pointId: 'x', aggregation: 'mode', interval: '1h' }, '/aggregation'],
    ['[HIS-08]', { pointId: 'x', aggregation: 'avg', interval: '1y' }, '/interval'],
    ['[HIS-08]', { pointId: 'x', aggregation: 'avg', interval: '0h' }, '/interval'],
    ['[HIS-08]', { pointId: 'x', aggregation: 'avg', interval: '1.5h' }, '/interval'],
    ['[HIS-09]', { pointId: 'x', aggregation: 'avg' }, '/interval'],
    ['[HIS-09]', { pointId: 'x', interval: '1h' }, '/aggregation'],
    ['[HIS-14]', { pointId: 'x', aggregation: 'avg', interval: '1d', timezone: 'Mars' }, '/timezone'],
    ['[ERR-11]', { pointId: 'x', updatedSince: 'x' }, '/updatedSince'],
  ])('%s refuses %j', async (_rule, query, pointer) => {
    const { status, body } = await read(query as Record<string, string>)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
  })

  it('responds with 404 for an unknown point, and for a point of another building', async () => {
    const elsewhere = stack.other.idOf(stack.other.building.points[0]!.key)
    for (const pointId of ['0191b6a0-0000-7000-8000-000000000000', 'x', elsewhere]) {
      expect(await read({ pointId })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
      const empty = { pointId, from: iso(until), to: iso(until) }
      for (const query of [empty, { ...empty, aggregation: 'delta', interval: '1h' }, { ...empty, maxPoints: 5 }])
        expect((await read(query)).status).toBe(404)
    }
  })
})

describe('GET …/telemetry/latest', () => {
  it('[HIS-15, HIS-16] returns the last value of every point, texts too', async () => {
    const { status, body } = await stack.get(`${base}/latest`)
    expect(status).toBe(200)
    expect(body.data).toHaveLength(stack.building.points.length)
    const mine = body.data.find((row: { pointId: string }) => row.pointId === point.id)
    const last = samples.at(-1)!
    expect(mine).toMatchObject({ value: String(last.value), timestamp: iso(last.at), source: null, unit: 'DEG_C' })
    expect(body.data.some((row: { value: string }) => Number.isNaN(Number(row.value)))).toBe(true)
    expect(Date.parse(body.asOf)).toBeGreaterThan(0)
  })

  it('returns no values for a building without telemetry, and 404 for an unknown building', async () => {
    const other = await stack.get(`/api/v1/buildings/${stack.other.buildingId}/telemetry/latest`)
    expect(other.body.data).toEqual([])
    const none = await stack.get('/api/v1/buildings/0191b6a0-0000-7000-8000-000000000000/telemetry/latest')
    expect(none.status).toBe(404)
  })
})
