import { describe, expect, it } from 'vitest'
import { createValueStore } from './value-store.ts'

/** Frames that the test lets pass. */
function stage() {
  const waiting: (() => void)[] = []
  const store = createValueStore((callback) => waiting.push(callback))
  const frame = () => {
    for (const callback of waiting.splice(0)) callback()
  }
  return { store, frame, waiting }
}
const NOON = '2026-03-01T12:00:00.000Z'
const LATER = '2026-03-01T12:05:00.000Z'

describe('the last values', () => {
  it('keep the newest, whichever comes last', () => {
    const { store } = stage()
    store.take('a', '2', LATER, null)
    store.take('a', '1', NOON, null)
    expect(store.get('a')).toEqual({ value: '2', at: Date.parse(LATER), source: null })
    store.take('a', '3', LATER, null)
    expect(store.get('a')?.value).toBe('3')
  })

  it('are told once a frame, however many come', () => {
    const { store, frame, waiting } = stage()
    const told: string[][] = []
    store.watchAll((pointIds) => told.push([...pointIds]))
    for (let i = 0; i < 1000; i++) store.take(`p${i % 10}`, String(i), new Date(i).toISOString(), null)
    expect([told.length, waiting.length]).toEqual([0, 1])
    frame()
    expect(told).toHaveLength(1)
    expect(told[0]).toHaveLength(10)
  })

  it('are told to those who watch that point, and to nobody after they left', () => {
    const { store, frame } = stage()
    const told: string[] = []
    const end = store.watch('a', () => told.push('a'))
    store.watch('b', () => told.push('b'))
    store.take('a', '1', NOON, null)
    frame()
    end()
    store.take('a', '2', LATER, null)
    frame()
    expect(told).toEqual(['a'])
  })

  it('say nothing where nothing changed', () => {
    const { store, frame, waiting } = stage()
    store.take('a', '1', NOON, null)
    frame()
    store.take('a', '1', NOON, null)
    expect(waiting).toHaveLength(0)
  })
})
