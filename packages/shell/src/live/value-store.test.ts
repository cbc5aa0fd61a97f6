import { describe, expect, it } from 'vitest'
import { createValueStore } from './value-store.ts'

/** A store whose frames the test controls. */
function setUp() {
  const waiting: (() => void)[] = []
  const store = createValueStore((callback) => waiting.push(callback))
  const frame = () => {
    for (const callback of waiting.splice(0)) callback()
  }
  return { store, frame, waiting }
}
const NOON = '2026-03-01T12:00:00.000Z'
const LATER = '2026-03-01T12:05:00.000Z'

describe('the latest values', () => {
  it('keep the newest reading of a point, in whatever order its readings arrive', () => {
    const { store } = setUp()
    store.set('a', '2', LATER, null)
    store.set('a', '1', NOON, null)
    expect(store.get('a')).toEqual({ value: '2', at: Date.parse(LATER), source: null })
    store.set('a', '3', LATER, null)
    expect(store.get('a')?.value).toBe('3')
  })

  it('notify watchers once per frame', () => {
    const { store, frame, waiting } = setUp()
    const notified: string[][] = []
    store.watchAll((pointIds) => notified.push([...pointIds]))
    for (let i = 0; i < 1000; i++) store.set(`p${i % 10}`, String(i), new Date(i).toISOString(), null)
    expect([notified.length, waiting.length]).toEqual([0, 1])
    frame()
    expect(notified).toHaveLength(1)
    expect(notified[0]).toHaveLength(10)
  })

  it('notify the watchers of a point until they unsubscribe', () => {
    const { store, frame } = setUp()
    const notified: string[] = []
    const end = store.watch('a', () => notified.push('a'))
    store.watch('b', () => notified.push('b'))
    store.set('a', '1', NOON, null)
    frame()
    end()
    store.set('a', '2', LATER, null)
    frame()
    expect(notified).toEqual(['a'])
  })

  it('do not notify without a change', () => {
    const { store, frame, waiting } = setUp()
    store.set('a', '1', NOON, null)
    frame()
    store.set('a', '1', NOON, null)
    expect(waiting).toHaveLength(0)
  })
})
