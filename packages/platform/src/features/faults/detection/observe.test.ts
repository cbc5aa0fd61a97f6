import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyObservations } from '../../telemetry/ingest/observations.ts'
import { Changes } from './changes.ts'
import { observe } from './observe.ts'
import { createWatchList, type WatchedRule } from './watch-list.ts'

const POINT = 5
/** Later than all observations. */
const NOW = 50_000
const BARE: WatchedRule = {
  ...{ id: '', kind: 'threshold', severity: 'minor', enabled: true, isDefault: false, createdAtMs: 0 },
  ...{
    pointName: null,
    quantityKind: null,
    unit: null,
    pointType: null,
    elementTypeSlug: null,
    pointId: 'p',
    point: POINT,
  },
  ...{ above: null, below: null, durationSeconds: 0 },
}
interface Seen {
  at: number
  /** Null stands for a text. */
  value: number | null
}
const seen = fc.record({ at: fc.integer({ min: 0, max: 40 }), value: fc.constantFrom(null, 0, 1, 2, 3) })
const observed = fc.array(seen, { maxLength: 30 })
const seconds = fc.constantFrom(0, 3, 10)

/** Whether a fault is active after each observation. Expects a change only where a fault begins or ends. */
function faultAfterEach(rule: Partial<WatchedRule>, all: readonly Seen[]): boolean[] {
  const list = createWatchList([{ ...BARE, ...rule }], [])
  const changes = new Changes(list)
  let wasOpen = false
  return all.map(({ at, value }) => {
    const batch = emptyObservations(1)
    batch.count = 1
    batch.points[0] = POINT
    batch.times[0] = at * 1000
    batch.values[0] = value ?? Number.NaN
    if (value === null) batch.texts.set(0, 'on')
    observe(list, batch, NOW, changes)
    const isOpen = list.isOpen[0] === 1
    expect(changes.size).toBe(isOpen === wasOpen ? 0 : 1)
    changes.done(changes.some(10))
    wasOpen = isOpen
    return isOpen
  })
}

/**
 * The observations that count: numbers that are not older than any number or text that arrived before them. For
 * each observation, `numberOf` has the index of the last of these numbers so far; -1 if there was none yet.
 */
function counted(all: readonly Seen[]): { numbers: { at: number; value: number }[]; numberOf: number[] } {
  const numbers: { at: number; value: number }[] = []
  let newest = Number.NEGATIVE_INFINITY
  const numberOf = all.map(({ at, value }) => {
    if (at >= newest && value !== null) numbers.push({ at, value })
    newest = Math.max(newest, at)
    return numbers.length - 1
  })
  return { numbers, numberOf }
}

describe('observations in any order', () => {
  it('cause a fault of a threshold rule when the numbers stay beyond its bounds for its duration', () => {
    fc.assert(
      fc.property(observed, seconds, (all, durationSeconds) => {
        const { numbers, numberOf } = counted(all)
        const isFault = (i: number): boolean => {
          let first = i
          while (first >= 0 && (numbers[first]!.value > 2 || numbers[first]!.value < 1)) first--
          return first < i && numbers[i]!.at - numbers[first + 1]!.at >= durationSeconds
        }
        expect(faultAfterEach({ above: 2, below: 1, durationSeconds }, all)).toEqual(
          numberOf.map((i) => i >= 0 && isFault(i)),
        )
      }),
    )
  })

  it('cause a fault of an alarm rule while the newest observation means that the alarm is on', () => {
    fc.assert(
      fc.property(observed, (all) => {
        let newest = Number.NEGATIVE_INFINITY
        let isOn = false
        const expected = all.map(({ at, value }) => {
          if (at >= newest) isOn = value !== 0
          newest = Math.max(newest, at)
          return isOn
        })
        expect(faultAfterEach({ kind: 'alarm' }, all)).toEqual(expected)
      }),
    )
  })

  it('cause a fault of a stuck rule when a number is constant for the duration of the rule, without a gap longer than half the duration', () => {
    fc.assert(
      fc.property(observed, (all) => {
        const { numbers, numberOf } = counted(all)
        const stuckAt = numbers.map((_, i) => {
          let first = i
          const isActive = (k: number) =>
            k > 0 && numbers[k - 1]!.value === numbers[k]!.value && numbers[k]!.at - numbers[k - 1]!.at <= 5
          while (isActive(first)) first--
          return first < i && numbers[i]!.at - numbers[first]!.at >= 10
        })
        // The fault stays active until the number changes.
        const isFault = (i: number): boolean =>
          stuckAt[i]! || (i > 0 && numbers[i - 1]!.value === numbers[i]!.value && isFault(i - 1))
        expect(faultAfterEach({ kind: 'stuck', durationSeconds: 10 }, all)).toEqual(
          numberOf.map((i) => i >= 0 && isFault(i)),
        )
      }),
    )
  })

  it('are ignored for a point that no rule watches', () => {
    const list = createWatchList([{ ...BARE, kind: 'alarm' }], [])
    const changes = new Changes(list)
    const batch = emptyObservations(5)
    batch.count = 5
    batch.points.set([POINT - 1, POINT + 1, 0, 2_000_000_000, -1])
    batch.values.fill(1)
    observe(list, batch, 0, changes)
    expect(changes.size).toBe(0)
  })
})
