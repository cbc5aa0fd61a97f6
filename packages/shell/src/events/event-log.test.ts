import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEventLog, type EventLog, type EventLogOptions, isEvent, missedSince } from './event-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const POINT = 'building.point.updated'
const ALARM = 'building.alarm.triggered'

function filled(count: number, options: EventLogOptions = {}, kind: typeof POINT | typeof ALARM = POINT) {
  const log = createEventLog(options)
  for (let sequence = 1; sequence <= count; sequence++) log.add(kind, { number: sequence }, { sequence })
  return log
}
/** The view after the next notification. */
function viewOf(log: EventLog) {
  vi.advanceTimersByTime(250)
  return log.view()
}
const sequences = (log: EventLog) =>
  viewOf(log)
    .entries.filter(isEvent)
    .map(({ sequence }) => sequence)

describe('the event log', () => {
  it('keeps the newest entries up to its limit', () => {
    const log = filled(10, { maxEntries: 3 })
    expect(sequences(log)).toEqual([8, 9, 10])
    expect(viewOf(log)).toMatchObject({ added: 10, dropped: 7 })
  })

  it('keeps at most a given number of characters, but always the newest event', () => {
    const log = createEventLog({ maxSize: 100 })
    for (let sequence = 1; sequence <= 20; sequence++) log.add(POINT, { text: 'x'.repeat(20) }, { sequence })
    const { entries } = viewOf(log)
    expect(entries.filter(isEvent).reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(100)
    expect(entries.length).toBeGreaterThan(1)
    log.add(POINT, { text: 'x'.repeat(500) }, { sequence: 21 })
    expect(sequences(log)).toEqual([21])
  })

  it('has a gap before an event that reports skipped events', () => {
    const log = filled(1)
    log.add(POINT, {}, { sequence: 9, skipped: 7 })
    log.addGap('interrupted')
    expect(viewOf(log).entries.map((entry) => (isEvent(entry) ? entry.sequence : [entry.reason, entry.count]))).toEqual(
      [1, ['slow', 7], 9, ['interrupted', undefined]],
    )
  })

  it('notifies once per interval, however many events arrive, and immediately after it is cleared', () => {
    const log = createEventLog({ everyMs: 250 })
    const listener = vi.fn()
    log.subscribe(listener)
    for (let sequence = 1; sequence <= 100; sequence++) log.add(POINT, {}, { sequence })
    expect(listener).not.toHaveBeenCalled()
    vi.advanceTimersByTime(250)
    expect(listener).toHaveBeenCalledTimes(1)
    const before = log.view()
    expect(log.view()).toBe(before)
    log.clear()
    expect(listener).toHaveBeenCalledTimes(2)
    expect(log.view()).toMatchObject({ entries: [], added: 0, dropped: 0 })
    expect(before.entries).toHaveLength(100)
  })
})

describe('a paused view', () => {
  it('counts the events of each kind that it does not show', () => {
    const log = filled(2)
    const paused = viewOf(log)
    for (let sequence = 3; sequence <= 5; sequence++) log.add(POINT, {}, { sequence })
    log.add(ALARM, {}, { sequence: 6 })
    expect(missedSince(paused, viewOf(log))).toEqual({
      total: 4,
      byKind: [
        [POINT, 3],
        [ALARM, 1],
      ],
      lost: 0,
    })
  })

  it('counts the missed events that were dropped and are never shown', () => {
    const log = filled(3, { maxEntries: 3 })
    const paused = viewOf(log)
    for (let sequence = 4; sequence <= 10; sequence++) log.add(POINT, {}, { sequence })
    expect(missedSince(paused, viewOf(log))).toMatchObject({ total: 7, lost: 4 })
    expect(paused.entries).toHaveLength(3)
  })
})
