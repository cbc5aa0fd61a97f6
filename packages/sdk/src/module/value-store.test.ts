import { describe, expect, it } from 'vitest'
import type { LiveConnection } from '../live/live-connection.ts'
import type { PointUpdated } from '../wire.ts'
import { createFeed, type Reading, readOnce, type ValueSource } from './value-source.ts'
import { createValueStore } from './value-store.ts'

const at = (minute: number) => `2026-03-01T08:${String(minute).padStart(2, '0')}:00.000Z`
const row = (pointId: string, value: string, minute: number): Reading => ({ pointId, value, timestamp: at(minute) })
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A fake channel and fake reads, which the test controls. The channel is live, or becomes live with `join`. */
function startFake(status: 'connecting' | 'live' = 'live') {
  const reads: { resolve(rows: Reading[]): void; reject(error: Error): void; signal: AbortSignal }[] = []
  const handlers = new Set<(event: PointUpdated) => void>()
  const lossHandlers = new Set<() => void>()
  let join = () => {}
  const ready = new Promise<void>((resolve) => {
    join = resolve
  })
  const live = {
    status,
    ready,
    on(_kind: string, handler: (event: PointUpdated) => void) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    onSnapshotRequired(handler: () => void) {
      lossHandlers.add(handler)
      return () => lossHandlers.delete(handler)
    },
  } as unknown as LiveConnection
  const read = (signal: AbortSignal) =>
    new Promise<Reading[]>((resolve, reject) => reads.push({ resolve, reject, signal }))
  const report = (...rows: Reading[]) => {
    const observations = rows.map((each) => ({ ...each, elementId: 'e', source: null }))
    for (const handle of handlers) handle({ buildingId: 'x', observations })
  }
  const lose = () => lossHandlers.forEach((handle) => void handle())
  const feed = createFeed(live, read, { lingerMs: 10, retryMs: 20 })
  return { reads, report, lose, join: () => join(), handlers, read, feed }
}

function shownBy(source: ValueSource, pointIds = ['a', 'b']) {
  const frames: (() => void)[] = []
  let drawn = 0
  const onFrame = (callback: () => void) => {
    frames.push(callback)
    return () => frames.splice(frames.indexOf(callback), 1)
  }
  const store = createValueStore({ pointIds, source, onFrame })
  store.watch(() => drawn++)
  return {
    store,
    stop: store.start(),
    frame: () => frames.splice(0).forEach((draw) => void draw()),
    waiting: () => frames.length,
    drawn: () => drawn,
    values: () => Object.fromEntries([...store.shown()].map(([id, { value }]) => [id, value])),
  }
}

describe('the values that a module shows', () => {
  it('begin with the newest stored values, which values of the live channel then replace', async () => {
    const { reads, report, feed } = startFake()
    const { frame, values, store } = shownBy(feed)
    expect(store.isLoaded()).toBe(false)
    reads[0]!.resolve([row('a', '20', 1), row('b', '5', 1), row('z', 'not asked for', 1)])
    await nextTurn()
    frame()
    expect(values()).toEqual({ a: '20', b: '5' })
    report(row('a', '21', 2), row('z', '7', 2))
    frame()
    expect(values()).toEqual({ a: '21', b: '5' })
    expect(store.isLoaded()).toBe(true)
  })

  it('include events that arrive during the first read, and are not replaced by older values', async () => {
    const { reads, report, feed } = startFake()
    const { frame, values } = shownBy(feed)
    report(row('a', '22', 5))
    reads[0]!.resolve([row('a', '20', 1), row('b', '5', 4)])
    await nextTurn()
    report(row('b', '4', 3))
    frame()
    expect(values()).toEqual({ a: '22', b: '5' })
  })

  it('are rendered once per frame, and not at all when nothing changed', async () => {
    const { reads, report, feed } = startFake()
    const { frame, drawn, waiting, store } = shownBy(feed)
    reads[0]!.resolve([])
    await nextTurn()
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

  it('are read once for all subscribers of a connection, including later ones', async () => {
    const { reads, report, feed, handlers } = startFake()
    const first = shownBy(feed)
    const second = shownBy(feed, ['b'])
    reads[0]!.resolve([row('a', '20', 1), row('b', '5', 1)])
    await nextTurn()
    report(row('b', '6', 2))
    const late = shownBy(feed)
    for (const each of [first, second, late]) each.frame()
    expect([first.values(), second.values(), late.values()]).toEqual([
      { a: '20', b: '6' },
      { b: '6' },
      { a: '20', b: '6' },
    ])
    expect(late.store.isLoaded()).toBe(true)
    expect([reads.length, handlers.size]).toEqual([1, 1])
    for (const each of [first, second, late]) each.stop()
    // The values are kept for a moment for the next subscriber. If there is none, the subscription to the channel ends.
    const next = shownBy(feed)
    expect(reads).toHaveLength(1)
    next.stop()
    await expect.poll(() => handlers.size).toBe(0)
    shownBy(feed)
    expect(reads).toHaveLength(2)
  })

  it('are read again when the channel missed events', async () => {
    const { reads, lose, feed } = startFake()
    const { frame, values } = shownBy(feed)
    reads[0]!.resolve([row('a', '20', 1)])
    await nextTurn()
    lose()
    reads[1]!.resolve([row('a', '30', 9)])
    await nextTurn()
    frame()
    expect(values()).toEqual({ a: '30' })
  })

  it('come from a new read if the channel missed events during the first read, which is then aborted', async () => {
    const { reads, lose, feed } = startFake()
    const { frame, values, store } = shownBy(feed)
    lose()
    expect(reads[0]!.signal.aborted).toBe(true)
    reads[0]!.reject(new Error('aborted'))
    await nextTurn()
    expect([store.isLoaded(), store.error()]).toEqual([false, undefined])
    reads[1]!.resolve([row('a', '30', 9)])
    await nextTurn()
    frame()
    expect(values()).toEqual({ a: '30' })
  })

  it('[SDK-16] come from a new read when the channel is live, if it was not live at the first read', async () => {
    const { reads, join, feed } = startFake('connecting')
    const { frame, values, store } = shownBy(feed)
    reads[0]!.resolve([row('a', '20', 1)])
    await nextTurn()
    expect(store.isLoaded()).toBe(true)
    join()
    await nextTurn()
    reads[1]!.resolve([row('a', '30', 9)])
    await nextTurn()
    frame()
    expect(values()).toEqual({ a: '30' })
  })

  it('[SDK-16] are not read when the channel becomes live after all subscribers have left', async () => {
    const { reads, join, handlers, feed } = startFake('connecting')
    shownBy(feed).stop()
    await expect.poll(() => handlers.size).toBe(0)
    join()
    await nextTurn()
    expect(reads).toHaveLength(1)
  })

  it('[SDK-16] are read again after each failure until a read succeeds, without a new subscriber', async () => {
    const { reads, feed, handlers } = startFake()
    const { frame, values, store, stop } = shownBy(feed)
    reads[0]!.reject(new Error('down'))
    await expect.poll(() => reads.length).toBe(2)
    reads[1]!.reject(new Error('still down'))
    await expect.poll(() => store.error()?.message).toBe('still down')
    await expect.poll(() => reads.length).toBe(3)
    reads[2]!.resolve([row('a', '1', 1)])
    await nextTurn()
    frame()
    expect([store.error(), values()]).toEqual([undefined, { a: '1' }])
    stop()
    await expect.poll(() => handlers.size).toBe(0)
    expect(reads).toHaveLength(3)
  })

  it('are replaced by the error of a failed read until a read succeeds, and are read again for the next subscriber', async () => {
    const { reads, feed, handlers } = startFake()
    const failed = shownBy(feed)
    reads[0]!.reject(new Error('down'))
    await nextTurn()
    failed.frame()
    expect([failed.store.error()?.message, failed.drawn()]).toEqual(['down', 1])
    const { frame, values } = shownBy(feed)
    reads[1]!.resolve([row('a', '1', 1)])
    await nextTurn()
    frame()
    expect([values(), handlers.size]).toEqual([{ a: '1' }, 1])
    failed.frame()
    expect([failed.store.error(), failed.drawn(), failed.values()]).toEqual([undefined, 2, { a: '1' }])
  })

  it('cause neither an error nor a render after the subscriber has left', async () => {
    const { reads, read } = startFake()
    const { stop, store, waiting } = shownBy(readOnce(read))
    stop()
    expect(reads[0]!.signal.aborted).toBe(true)
    reads[0]!.reject(new Error('aborted'))
    await nextTurn()
    expect([store.error(), waiting()]).toEqual([undefined, 0])
  })
})
