import type { SeriesTable } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { type FrameKind, framesOf } from './frames.ts'

const MINUTE = 60_000

function framesFor(
  kind: FrameKind,
  series: Record<string, (number | null)[]>,
  spaceOf: Record<string, string>,
  { count = Object.values(series)[0]!.length, intervalMs = 5 * MINUTE, first = 0 } = {},
) {
  const starts = Object.values(series)[0]!.map((_, i) => first + i * intervalMs)
  const table: SeriesTable = {
    timestamps: starts.map((start) => new Date(start).toISOString()),
    series: Object.entries(series).map(([pointId, values]) => ({ pointId, values })),
  }
  const frames = framesOf([table], new Map(Object.entries(spaceOf)), kind, { from: 0, count, stepMs: 5 * MINUTE })
  return (spaceId: string) => {
    const place = frames.rooms.get(spaceId)! * count
    return Array.from(frames.values.subarray(place, place + count), (value) => (Number.isNaN(value) ? null : value))
  }
}

describe('the frames of a replay', () => {
  it('keep the value of a sensor for an hour, and then have none', () => {
    const silent = [20, 20, 20, 20, ...Array.from({ length: 15 }, () => null), 21]
    const room = framesFor('measured', { p: silent }, { p: 'a' })('a')
    expect(room).toEqual([...Array.from({ length: 16 }, () => 20), null, null, null, 21])
  })

  it('keep the value of a slow sensor for four of its intervals', () => {
    const slow = Array.from({ length: 40 }, (_, i) => (i % 10 === 0 && i < 20 ? i : null))
    const room = framesFor('measured', { p: slow }, { p: 'a' })('a')
    expect([room[9], room[39]]).toEqual([0, 10])
  })

  it('have no value before the first reading', () => {
    expect(framesFor('measured', { p: [null, 20] }, { p: 'a' })('a')).toEqual([null, 20])
  })

  it('have the state at the end of the interval if the state changed during the interval', () => {
    const states = framesFor('held', { p: [0, 0.4, 1, 0.97, 0, 0.03, null] }, { p: 'a' })('a')
    expect(states).toEqual([0, 1, 1, 0, 0, 0, null])
  })

  it('have the consumption of an interval, and none where it is unknown', () => {
    expect(framesFor('consumed', { p: [0.5, null, 0] }, { p: 'a' })('a')).toEqual([0.5, null, 0])
  })

  it('repeat the consumption of an interval that is longer than a frame, even if it begins before the frames', () => {
    const hours = { count: 6, intervalMs: 15 * MINUTE, first: -10 * MINUTE }
    expect(framesFor('consumed', { p: [1, 2, 3] }, { p: 'a' }, hours)('a')).toEqual([1, 2, 2, 2, 3, 3])
  })

  it('use the first point with a value if a room has several points', () => {
    const room = framesFor('consumed', { p: [null, 1], q: [5, 6] }, { p: 'a', q: 'a' })('a')
    expect(room).toEqual([5, 1])
  })
})
