import { describe, expect, it } from 'vitest'
import type { LiveConnection } from '../live/live-connection.ts'
import type { PointUpdated } from '../wire.ts'
import { createFeed, type Reading, readOnce, type ValueSource } from './value-source.ts'
import { createValueStore } from './value-store.ts'

const at = (minute: number) => `2026-03-01T08:${String(minute).padStart(2, '0')}:00.000Z`
const row = (pointId: string, value: string, minute: number): Reading => ({ pointId, value, timestamp: at(minute) })
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A channel that speaks, and reads that are answered, when the test says so. */
function stage() {
  const reads: { resolve(rows: Reading[]): void; reject(error: Error): void; signal: AbortSignal }[] = []
  const ears = new Set<(event: PointUpdated) => void>()
  const losses = new Set<() => void>()
  const live = {
    on(_kind: string, handler: (event: PointUpdated) => void) {
      ears.add(handler)
      return () => ears.delete(handler)
    },
    onSnapshotRequired(handler: () => void) {
      losses.add(handler)
      return () => losses.delete(handler)
    },
  } as unknown as LiveConnection
  const read = (signal: AbortSignal) =>
    new Promise<Reading[]>((resolve, reject) => reads.push({ resolve, reject, signal }))
  const report = (...rows: Reading[]) => {
    const observations = rows.map((each) => ({ ...each, elementId: 'e', source: null }))
    for (const hear of ears) hear({ buildingId: 'x', observations })
  }
  const lose = () => losses.forEach((tell) => void tell())
  return { reads, report, lose, ears, read, feed: createFeed(live, read, 10) }
}

function shownBy(source: ValueSource, pointIds = ['a', 'b']) {
  const frames: (() => void)[] = []
  const errors: string[] = []
  let drawn = 0
  const onFrame = (callback: () => void) => {
    frames.push(callback)
    return () => frames.splice(frames.indexOf(callback), 1)
  }
  const store = createValueStore({ pointIds, source, onFrame, onError: ({ message }) => errors.push(message) })
  store.watch(() => drawn++)
  return {
    store,
    stop: store.start(),
    errors,
    frame: () => frames.splice(0).forEach((draw) => void draw()),
    waiting: () => frames.length,
    drawn: () => drawn,
    values: () => Object.fromEntries([...store.shown()].map(([id, { value }]) => [id, value])),
  }
}

describe('the values that a module shows', () => {
  it('start from the last ones, and follow the channel', async () => {
    const { reads, report, feed } = stage()
    const { frame, values, store } = shownBy(feed)
    expect(store.isLoaded()).toBe(false)
    reads[0]!.resolve([row('a', '20', 1), row('b', '5', 1), row('z', 'not asked for', 1)])
    await settled()
    frame()
    expect(values()).toEqual({ a: '20', b: '5' })
    report(row('a', '21', 2), row('z', '7', 2))
    frame()
    expect(values()).toEqual({ a: '21', b: '5' })
    expect(store.isLoaded()).toBe(true)
  })

  it('keep what came while they were read, and pass over what is older', async () => {
    const { reads, report, feed } = stage()
    const { frame, values } = shownBy(feed)
    report(row('a', '22', 5))
    reads[0]!.resolve([row('a', '20', 1), row('b', '5', 4)])
    await settled()
    report(row('b', '4', 3))
    frame()
    expect(values()).toEqual({ a: '22', b: '5' })
  })

  it('are drawn once a frame, and not at all when nothing changed', async () => {
    const { reads, report, feed } = stage()
    const { frame, drawn, waiting, store } = shownBy(feed)
    reads[0]!.resolve([])
    await settled()
    frame()
    const before = drawn()
    for (let minute = 1; minute < 50; minute++) report(row('a', String(minute), minute))
    expect(waiting()).toBe(1)
    frame()
    expect(drawn()).toBe(before + 1)
    const shown = store.shown()
    report(row('a', '49', 49), row('z', '1', 50))
    expect(waiting()).toBe(0)
    expect(store.shown()).toBe(shown)
  })

  it('are read once for all who follow a connection, also for those who come later', async () => {
    const { reads, report, feed, ears } = stage()
    const first = shownBy(feed)
    const second = shownBy(feed, ['b'])
    reads[0]!.resolve([row('a', '20', 1), row('b', '5', 1)])
    await settled()
    report(row('b', '6', 2))
    const late = shownBy(feed)
    for (const each of [first, second, late]) each.frame()
    expect([first.values(), second.values(), late.values()]).toEqual([
      { a: '20', b: '6' },
      { b: '6' },
      { a: '20', b: '6' },
    ])
    expect(late.store.isLoaded()).toBe(true)
    expect([reads.length, ears.size]).toEqual([1, 1])
    for (const each of [first, second, late]) each.stop()
    // Somebody who comes right after finds it as it was; with nobody left it ends.
    const next = shownBy(feed)
    expect(reads).toHaveLength(1)
    next.stop()
    await expect.poll(() => ears.size).toBe(0)
    shownBy(feed)
    expect(reads).toHaveLength(2)
  })

  it('are read anew when the channel lost some', async () => {
    const { reads, lose, feed } = stage()
    const { frame, values } = shownBy(feed)
    reads[0]!.resolve([row('a', '20', 1)])
    await settled()
    lose()
    reads[1]!.resolve([row('a', '30', 9)])
    await settled()
    frame()
    expect(values()).toEqual({ a: '30' })
  })

  it('say why they could not be read, and are read again by the next', async () => {
    const { reads, feed, ears } = stage()
    const { errors } = shownBy(feed)
    reads[0]!.reject(new Error('down'))
    await settled()
    expect(errors).toEqual(['down'])
    const { frame, values } = shownBy(feed)
    reads[1]!.resolve([row('a', '1', 1)])
    await settled()
    frame()
    expect([values(), ears.size]).toEqual([{ a: '1' }, 1])
  })

  it('are still when nobody looks', async () => {
    const { reads, read } = stage()
    const { stop, errors, waiting } = shownBy(readOnce(read))
    stop()
    expect(reads[0]!.signal.aborted).toBe(true)
    reads[0]!.reject(new Error('aborted'))
    await settled()
    expect([errors, waiting()]).toEqual([[], 0])
  })
})
