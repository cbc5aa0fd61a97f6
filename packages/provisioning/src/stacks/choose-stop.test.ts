import { describe, expect, it } from 'vitest'
import { chooseStop, KEEP } from './choose-stop.ts'
import { type Entry, newEntry } from './stack-entry.ts'

const NOW = { elapsedMs: 10 * KEEP.runMs, date: new Date('2026-03-01T12:00:00Z') }
const LONG_AGO = NOW.elapsedMs - KEEP.runMs - 1
/** LATELY is less than `uncalledMs` ago, A_WHILE_AGO less than `runMs`. */
const LATELY = NOW.elapsedMs - KEEP.uncalledMs + 1
const A_WHILE_AGO = NOW.elapsedMs - KEEP.runMs + 1
const BY_CALLER = { since: LONG_AGO, isFromCaller: () => true, isVerified: true }

/** A stack that has run for long. The first letter of its id is its owner. */
function running(id: string, changes: Partial<Entry> = {}): Entry {
  const entry = newEntry({ id, organizationId: id[0]! }, 0)
  return Object.assign(entry, { state: 'running', isAdmitted: true, runsSince: LONG_AGO, dueAt: null }, changes)
}
const simulating = (id: string, changes: Partial<Entry> = {}) => running(id, { dueAt: NOW.date, ...changes })
const connected = (id: string, changes: Partial<Entry> = {}) => running(id, { uses: new Set([BY_CALLER]), ...changes })
const stopFor = (owner: string, entries: Entry[], isVerified = true) =>
  chooseStop(entries, { kind: 'request', owner, isVerified }, NOW)?.sandbox.id
const stopForWork = (entries: Entry[]) => chooseStop(entries, { kind: 'work' }, NOW)?.sandbox.id

describe('the stack that is stopped for another', () => {
  it('[STK-25] has neither a caller nor work, if there is such a stack', () => {
    expect(stopFor('x', [simulating('a'), connected('b'), running('c', { lastCalledAt: NOW.elapsedMs })])).toBe('c')
  })

  it('[STK-25] is one that ran long without requests, even if it always has work', () => {
    const young = { runsSince: LATELY }
    const called = { lastCalledAt: LATELY, runsSince: A_WHILE_AGO }
    expect(stopFor('x', [connected('a', young), simulating('b', young), simulating('c', called)])).toBeUndefined()
    expect(stopFor('x', [connected('a'), simulating('b', { runsSince: A_WHILE_AGO })])).toBe('b')
    const longer = { lastCalledAt: LONG_AGO - 1 }
    expect(stopFor('x', [connected('a'), simulating('b', { lastCalledAt: LONG_AGO }), simulating('c', longer)])).toBe(
      'c',
    )
  })

  it('[STK-25] belongs to the owner with the most stacks', () => {
    const longer = { lastCalledAt: LONG_AGO - 1 }
    const called = { lastCalledAt: LONG_AGO }
    expect(stopFor('x', [simulating('b', longer), simulating('a1', called), simulating('a2', called)])).toBe('a1')
  })

  it('[STK-25] may have callers if its owner has at least two more stacks than the owner of the waiting one', () => {
    const two = [connected('a1'), connected('a2', { lastCalledAt: LONG_AGO })]
    expect(stopFor('x', [...two, connected('b')])).toBe('a1')
    expect(stopFor('b', [...two, connected('b')])).toBeUndefined()
    expect(stopFor('a', [...two, connected('b')])).toBeUndefined()
    const young = { runsSince: A_WHILE_AGO }
    expect(stopFor('x', [connected('a1', young), connected('a2', young)])).toBeUndefined()
  })

  it('[STK-25] may have callers after five minutes if the owner of the waiting one has no stack', () => {
    expect(stopFor('x', [connected('a'), connected('b', { lastCalledAt: LONG_AGO })])).toBe('a')
    const simulated = simulating('c', { lastCalledAt: LATELY })
    expect(stopFor('x', [connected('a', { runsSince: A_WHILE_AGO }), simulated])).toBe('c')
    expect(stopFor('x', [connected('a', { runsSince: A_WHILE_AGO })])).toBeUndefined()
    expect(stopFor('a', [connected('a1'), connected('b')])).toBeUndefined()
    expect(stopFor('x', [connected('a')], false)).toBeUndefined()
  })

  it('[STK-25] is never one that a caller used lately, if only the work of another waits', () => {
    const called = running('a', { lastCalledAt: LATELY })
    expect(stopForWork([called, connected('b1'), connected('b2')])).toBeUndefined()
    expect(stopFor('x', [called])).toBe('a')
    expect(stopForWork([called, running('b', { lastCalledAt: A_WHILE_AGO })])).toBe('b')
    expect(stopForWork([called, simulating('b', { runsSince: A_WHILE_AGO })])).toBeUndefined()
    expect(stopForWork([called, simulating('b')])).toBe('b')
  })

  it('[STK-27] is never one that a caller used lately, if the waiting request has no valid credential', () => {
    const called = running('a', { lastCalledAt: LATELY })
    expect(stopFor('x', [called], false)).toBeUndefined()
    expect(stopFor('x', [called, running('b', { lastCalledAt: A_WHILE_AGO })], false)).toBe('b')
    expect(stopFor('x', [connected('a1'), connected('a2')], false)).toBeUndefined()
  })

  it('[STK-25] does not exist while another one is being stopped, if all others have callers or work', () => {
    expect(stopFor('x', [running('c', { state: 'stopping' }), simulating('a')])).toBeUndefined()
  })
})
