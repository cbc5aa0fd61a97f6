import type { BuildingClient, PointNode, SeriesQuery } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { readSeries } from './read-series.ts'

const HOUR = 3_600_000
const NOON = Date.parse('2026-03-10T12:00:00Z')
const point = (id: string, quantityKind: string, pointType = 'SENSOR') => ({ id, quantityKind, pointType }) as PointNode
const options = { timezone: 'Europe/Berlin', signal: new AbortController().signal }

/**
 * The responses of `query` have three intervals. A value is ten times the index of the point, plus the index of the
 * interval. The second interval has no value.
 */
function fakeApi() {
  const queries: SeriesQuery[] = []
  const api = {
    telemetry: {
      async query(query: SeriesQuery) {
        queries.push(query)
        const start = Math.floor(Date.parse(query.from) / HOUR) * HOUR
        return {
          timestamps: [0, 1, 2].map((i) => new Date(start + i * HOUR).toISOString()),
          series: query.pointIds!.map((pointId, n) => {
            const valuesOf = (add: number) => [n * 10 + add, null, n * 10 + 2 + add]
            return { pointId, values: valuesOf(0), minimums: valuesOf(-1), maximums: valuesOf(1) }
          }),
        }
      },
      history: async () => ({ data: [{ timestamp: new Date(NOON).toISOString(), value: '21.5' }], sampledFrom: 1 }),
    },
  } as unknown as BuildingClient
  return { api, queries }
}

describe('the series of a chart', () => {
  it('[TIM-04] are the average, minimum and maximum of each point, read with one call', async () => {
    const { api, queries } = fakeApi()
    const points = [point('a', 'Temperature'), point('b', 'Temperature')]
    const [a, b] = await readSeries(api, points, { from: NOON, to: NOON + 72 * HOUR }, options)
    expect(queries).toMatchObject([{ aggregation: 'avg', extremes: true, pointIds: ['a', 'b'] }])
    expect(a).toMatchObject({
      times: [NOON, NOON + 2 * HOUR],
      values: [0, 2],
      extremes: { lows: [-1, 1], highs: [1, 3] },
    })
    expect(b!.values).toEqual([10, 12])
  })

  it('[TIM-06] are the consumption of a meter, without a first interval that the query covers in part', async () => {
    const { api, queries } = fakeApi()
    const from = NOON + HOUR / 2
    const [energy] = await readSeries(api, [point('e', 'ActiveEnergy')], { from, to: from + 24 * HOUR }, options)
    expect(queries).toMatchObject([{ aggregation: 'delta', interval: '1h', timezone: 'Europe/Berlin' }])
    expect(energy).toMatchObject({ times: [NOON + HOUR], values: [2], detail: { aggregation: 'delta' } })
  })

  it('[TIM-06] are the consumption of a meter, without an interval that ends where the range begins', async () => {
    const { api } = fakeApi()
    const [energy] = await readSeries(api, [point('e', 'ActiveEnergy')], { from: NOON, to: NOON + 24 * HOUR }, options)
    expect(energy).toMatchObject({ times: [NOON + HOUR], values: [2] })
  })

  it('are raw readings for a short range', async () => {
    const { api, queries } = fakeApi()
    const [a] = await readSeries(api, [point('a', 'Temperature')], { from: NOON, to: NOON + HOUR }, options)
    expect([a!.times, a!.values, a!.sampledFrom, queries.length]).toEqual([[NOON], [21.5], undefined, 0])
  })

  it('[TIM-04] start, for a setpoint, with the value that it has at the start of the range', async () => {
    const { api, queries } = fakeApi()
    const from = NOON - HOUR
    const [setpoint] = await readSeries(api, [point('s', 'Temperature', 'SETPOINT')], { from, to: NOON + 1 }, options)
    expect([setpoint!.times, setpoint!.values]).toEqual([
      [from, NOON],
      [0, 21.5],
    ])
    expect(queries).toMatchObject([{ aggregation: 'timeWeightedAvg', pointIds: ['s'] }])
  })

  it('are the time-weighted averages of a setpoint for a long range', async () => {
    const { api, queries } = fakeApi()
    const points = [point('a', 'Temperature'), point('s', 'Temperature', 'SETPOINT')]
    const found = await readSeries(api, points, { from: NOON, to: NOON + 72 * HOUR }, options)
    expect(queries).toMatchObject([
      { aggregation: 'avg', pointIds: ['a'] },
      { aggregation: 'timeWeightedAvg', pointIds: ['s'] },
    ])
    expect(found.map(({ values }) => values)).toEqual([
      [0, 2],
      [0, 2],
    ])
  })
})
