import { STACK_CHANGED } from '@storey/contract'
import { silentLog } from '@storey/kit/log'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createBus } from '../bus/bus.ts'
import { createRepeatedChange } from './index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('[LIV-24] the first of frequent changes is published immediately, and the following changes at most once per interval', () => {
  const bus = createBus(silentLog)
  const published: unknown[] = []
  const change = createRepeatedChange({ bus, buildingIds: () => ['a', 'b'], kind: 'webhooks', everyMs: 1_000 })
  change.note()
  bus.subscribe(STACK_CHANGED, ({ buildingId, fields }) => published.push([buildingId, fields.kinds]))
  const both = [
    ['a', ['webhooks']],
    ['b', ['webhooks']],
  ]
  change.note()
  expect(published).toEqual(both)
  for (let i = 0; i < 100; i++) change.note()
  vi.advanceTimersByTime(999)
  expect(published).toEqual(both)
  vi.advanceTimersByTime(1)
  expect(published).toEqual([...both, ...both])
  vi.advanceTimersByTime(5_000)
  expect(published).toHaveLength(4)
  change.note()
  change.note()
  expect(published).toHaveLength(6)
  change.close()
  vi.advanceTimersByTime(5_000)
  expect(published).toHaveLength(6)
})
