import type { ElementNode, PointNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { energyMeters, energyToday } from './energy.ts'
import { localDayStart } from './local-day.ts'

const point = (id: string, unit = 'KiloW-HR') =>
  ({ id, unit, pointType: 'SENSOR', quantityKind: 'ActiveEnergy' }) as PointNode
const meter = (id: string, serves: string[] = []) =>
  ({ id, serves, elementTypeSlug: 'electricity-meter' }) as unknown as ElementNode

function modelOf(elements: ElementNode[]) {
  return {
    elements,
    pointsOf: (id: string) => [point(`${id}.kwh`)],
    space: (id: string) => (id.startsWith('room') ? ({ storeyId: 'L0' } as never) : undefined),
  }
}

describe('the electricity meters', () => {
  it('are the main meter, and the meter of each storey that the main meter feeds', () => {
    const { main, byStorey } = energyMeters(
      modelOf([meter('room', ['room1']), meter('storey', ['room1', 'room2']), meter('main', ['storey'])]),
    )
    expect(main.map(({ id }) => id)).toEqual(['main.kwh'])
    expect([...byStorey].map(([storey, { id }]) => [storey, id])).toEqual([['L0', 'storey.kwh']])
  })

  it('are added up if none feeds another', () => {
    const { main } = energyMeters(modelOf([meter('a', ['room1']), meter('b', ['room2'])]))
    expect(main.map(({ id }) => id)).toEqual(['a.kwh', 'b.kwh'])
  })
})

describe('the energy of today', () => {
  const HOUR = 3_600_000
  const DAY = 24 * HOUR
  const timestamps = Array.from({ length: 8 * 24 }, (_, i) => new Date(i * HOUR).toISOString())
  const table = (valueAt: (hour: number) => number | null) => ({
    timestamps,
    series: [{ pointId: 'main', values: timestamps.map((_, i) => valueAt(i)) }],
  })
  const before = [
    { start: 0, daysAgo: 7 },
    { start: 6 * DAY, daysAgo: 1 },
  ]
  const today = 7 * DAY
  const read = (valueAt: (hour: number) => number | null, unit?: string, now = 8 * DAY) =>
    energyToday(table(valueAt), [point('main', unit)], { now, timezone: 'UTC', today, before })

  it('is compared with the same day a week ago, up to the time of today’s last reading', () => {
    const found = read((hour) => (hour < 24 ? 2 : hour < 7 * 24 + 10 ? 3 : null))
    expect(found).toEqual({ kwh: 30, before: { kwh: 20, daysAgo: 7 }, until: today + 10 * HOUR })
  })

  it('is counted until now if the last interval has not ended, and compared up to the same time', () => {
    const now = today + 9.5 * HOUR
    const found = read((hour) => (hour < 24 ? 2 : hour < 7 * 24 + 10 ? 3 : null), undefined, now)
    expect(found).toEqual({ kwh: 30, before: { kwh: 19, daysAgo: 7 }, until: now })
  })

  it('is compared with yesterday if there are no readings of a week ago', () => {
    const found = read((hour) => (hour < 24 ? null : hour < 7 * 24 + 2 ? 1000 : null), 'W-HR')
    expect(found).toEqual({ kwh: 2, before: { kwh: 2, daysAgo: 1 }, until: today + 2 * HOUR })
  })

  it.each([
    ['2026-10-25T11:00:00Z', 13, 12],
    ['2026-11-01T11:00:00Z', 12, 13],
    ['2026-03-29T10:00:00Z', 11, 12],
    ['2026-04-05T10:00:00Z', 12, 11],
  ])('is compared until the same local time if the clocks change on one of the days: %s', (noon, kwh, earlier) => {
    const now = Date.parse(noon)
    const [timezone, daysAgo] = ['Europe/Berlin', 7]
    const start = localDayStart(now, timezone, daysAgo)
    const hours = Array.from({ length: (now - start) / HOUR }, (_, i) => new Date(start + i * HOUR).toISOString())
    const series = [{ pointId: 'main', values: hours.map(() => 1) }]
    const days = { now, timezone, today: localDayStart(now, timezone), before: [{ start, daysAgo }] }
    expect(energyToday({ timestamps: hours, series }, [point('main')], days)).toEqual({
      ...{ kwh, until: now },
      before: { kwh: earlier, daysAgo },
    })
  })

  it('is unknown without a reading of today, and is not compared without earlier readings', () => {
    expect(read((hour) => (hour < 7 * 24 ? 1 : null))).toBeUndefined()
    expect(read((hour) => (hour < 7 * 24 ? null : 1))?.before).toBeUndefined()
  })
})
