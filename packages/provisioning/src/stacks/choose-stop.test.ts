import { describe, expect, it } from 'vitest'
import { chooseStop, KEEP_MS } from './choose-stop.ts'
import { type Entry, newEntry } from './stack-entry.ts'

const NOW = { elapsedMs: 10 * KEEP_MS, date: new Date('2026-03-01T12:00:00Z') }
const LONG_AGO = NOW.elapsedMs - KEEP_MS - 1
const BY_CALLER = { since: LONG_AGO, isFromCaller: () => true }

/** A stack that has run for long; the first letter is the owner. */
function running(id: string, changes: Partial<Entry> = {}): Entry {
  const entry = newEntry({ id, organizationId: id[0]! }, 0)
  return Object.assign(entry, { state: 'running', isAdmitted: true, runsSince: LONG_AGO, dueAt: null }, changes)
}
const simulating = (id: string, changes: Partial<Entry> = {}) => running(id, { dueAt: NOW.date, ...changes })
const connected = (id: string, changes: Partial<Entry> = {}) => running(id, { uses: new Set([BY_CALLER]), ...changes })
const stopFor = (owner: string, entries: Entry[]) => chooseStop(entries, owner, NOW)?.sandbox.id

describe('the stack that is stopped for another', () => {
  it('[STK-25] is first one without a caller or work, then one that runs for its own work', () => {
    expect(stopFor('x', [simulating('a'), connected('b'), running('c', { lastCalledAt: NOW.elapsedMs })])).toBe('c')
  })

  it('[STK-25] is one that ran long without requests, even if it always has work', () => {
    const young = { runsSince: NOW.elapsedMs - KEEP_MS + 1 }
    const called = { lastCalledAt: NOW.elapsedMs - KEEP_MS + 1 }
    expect(stopFor('x', [connected('a'), simulating('b', young), simulating('c', called)])).toBeUndefined()
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
    expect(stopFor('x', [connected('a1', { runsSince: NOW.elapsedMs - 1_000 }), connected('b')])).toBeUndefined()
  })

  it('[STK-25] is none while another one with work or callers is being stopped', () => {
    expect(stopFor('x', [running('c', { state: 'stopping' }), simulating('a')])).toBeUndefined()
  })
})
