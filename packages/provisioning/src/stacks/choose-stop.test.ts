import { describe, expect, it } from 'vitest'
import { chooseStop, KEEP_TIMES } from './choose-stop.ts'
import { type Entry, newEntry } from './stack-entry.ts'

const NOW = { elapsedMs: 10 * KEEP_TIMES.runMs, date: new Date('2026-03-01T12:00:00Z') }
const LONG_AGO = NOW.elapsedMs - KEEP_TIMES.runMs - 1
/** JUST_NOW is less than `turnMs` ago, LATELY less than `uncalledMs`, A_WHILE_AGO less than `runMs`. */
const JUST_NOW = NOW.elapsedMs - KEEP_TIMES.turnMs + 1
const LATELY = NOW.elapsedMs - KEEP_TIMES.uncalledMs + 1
const A_WHILE_AGO = NOW.elapsedMs - KEEP_TIMES.runMs + 1
const BY_CALLER = { since: LONG_AGO, isFromCaller: () => true, isVerified: true }

/** A stack that has run for long. The first letter of its id is its owner. */
function running(id: string, changes: Partial<Entry> = {}): Entry {
  const entry = newEntry({ id, organizationId: id[0]! }, 0)
  return Object.assign(entry, { state: 'running', isAdmitted: true, runsSince: LONG_AGO, dueAt: null }, changes)
}
const simulating = (id: string, changes: Partial<Entry> = {}) => running(id, { dueAt: NOW.date, ...changes })
const connected = (id: string, changes: Partial<Entry> = {}) => running(id, { uses: new Set([BY_CALLER]), ...changes })
/** A stack that a caller has just used. */
const polled = (id: string, changes: Partial<Entry> = {}) => running(id, { lastCalledAt: NOW.elapsedMs, ...changes })
/** A stack that waits for capacity. */
const waiting = (id: string, isVerified = true) =>
  running(id, { state: 'starting', isAdmitted: false, uses: new Set([{ ...BY_CALLER, isVerified }]) })
const stopFor = (owner: string, entries: Entry[], isVerified = true) =>
  chooseStop(entries, { kind: 'request', owner, isVerified }, NOW)?.sandbox.id
const stopForWork = (entries: Entry[]) => chooseStop(entries, { kind: 'work' }, NOW)?.sandbox.id

describe('the stack that is stopped for another stack', () => {
  it('[STK-25] has neither callers nor work, if there is such a stack', () => {
    expect(stopFor('x', [simulating('a'), connected('b'), polled('d'), running('c', { lastCalledAt: LONG_AGO })])).toBe(
      'c',
    )
  })

  it('[STK-25] is one that ran long without requests, even if it always has work', () => {
    const young = { runsSince: LATELY }
    const called = { lastCalledAt: LATELY, runsSince: A_WHILE_AGO }
    expect(stopFor('x', [connected('a', young), simulating('b', young), simulating('c', called)])).toBeUndefined()
    expect(stopFor('x', [connected('a'), polled('c'), simulating('b', { runsSince: A_WHILE_AGO })])).toBe('b')
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

  it('[STK-25] can have callers if it has run for five minutes and the owner of the waiting request has no stack', () => {
    expect(stopFor('x', [connected('a'), connected('b', { lastCalledAt: LONG_AGO })])).toBe('a')
    const simulated = simulating('c', { lastCalledAt: LATELY })
    expect(stopFor('x', [connected('a', { runsSince: A_WHILE_AGO }), simulated])).toBe('c')
    expect(stopFor('x', [connected('a', { runsSince: A_WHILE_AGO })])).toBeUndefined()
    expect(stopFor('a', [connected('a1'), connected('b')])).toBeUndefined()
    expect(stopFor('x', [connected('a')], false)).toBeUndefined()
  })

  it('[STK-25] is never one that a caller used lately, if only the due work of another stack waits', () => {
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

  it('[STK-25] has neither callers nor work if another stack is already being stopped', () => {
    const stopping = (stoppingSince: number) => running('c', { state: 'stopping', stoppingSince })
    expect(stopFor('x', [stopping(JUST_NOW), simulating('a')])).toBeUndefined()
    // This stop has failed for so long that the stack may never end.
    expect(stopFor('x', [stopping(LONG_AGO), simulating('a')])).toBe('a')
  })
})

describe('the share of an owner', () => {
  const older = { lastCalledAt: LATELY }
  const young = { runsSince: JUST_NOW }

  it('[STK-32] is not used by another owner with a full share, however often that owner polls its own stacks', () => {
    expect(stopFor('a', [polled('b', older), polled('a1'), polled('a2')])).toBe('a1')
    expect(stopFor('a', [polled('b', older), polled('a1', young), polled('a2', young)])).toBeUndefined()
    expect(stopFor('a', [polled('b', older), connected('a1'), connected('a2')])).toBeUndefined()
    expect(stopFor('b', [polled('b'), polled('a1', older), polled('a2', older)])).toBe('b')
  })

  it('[STK-32] is soon freed: the owner that exceeds its share most loses a stack, even if clients use that stack', () => {
    const lately = { runsSince: LATELY }
    expect(
      stopFor(
        'x',
        ['a1', 'a2', 'a3'].map((id) => connected(id, lately)),
      ),
    ).toBe('a1')
    expect(
      stopFor(
        'x',
        ['a1', 'a2', 'a3'].map((id) => connected(id, young)),
      ),
    ).toBeUndefined()
    const both = [polled('b1', older), polled('b2', older), polled('a1'), polled('a2'), connected('a3')]
    expect(stopFor('x', both)).toBe('a1')
    expect(stopFor('x', [...both, polled('a4', older)])).toBe('a4')
    // Nothing is stopped: only owner a exceeds its share, and its stacks have run only for a moment.
    expect(stopFor('x', [polled('b', older), polled('a1', young), polled('a2', young)])).toBeUndefined()
  })

  it('[STK-32] is smaller if several owners wait, but not because of clients without a valid credential', () => {
    const six = [...['a1', 'a2', 'a3', 'a4'].map((id) => polled(id)), polled('b1', older), polled('b2')]
    expect(stopFor('b', six)).toBe('a1')
    const three = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((id) => polled(id, id === 'b1' ? older : {}))
    expect(stopFor('c', three)).toBe('a1')
    expect(stopFor('c', [...three, ...['x', 'y', 'z'].map((id) => waiting(id))])).toBe('a1')
    const even = ['a1', 'a2', 'a3', 'b1'].map((id) => polled(id))
    expect(stopFor('b', [...even, waiting('x')])).toBe('a1')
    const twoEach = ['a1', 'a2', 'b1', 'b2'].map((id) => polled(id, id === 'a1' ? older : {}))
    expect(stopFor('b', [...twoEach, ...['x', 'y', 'z'].map((id) => waiting(id, false))])).toBe('b1')
  })

  it('[STK-32] takes into account the stacks that are already being stopped for the owner', () => {
    const entries = [polled('a1'), polled('a2'), polled('a3', { state: 'stopping' }), polled('b')]
    const request = { kind: 'request', owner: 'x', isVerified: true } as const
    expect(chooseStop(entries, request, NOW)?.sandbox.id).toBe('a1')
    expect(chooseStop(entries, { ...request, coming: 1 }, NOW)).toBeUndefined()
  })

  it('[STK-32] is one stack at least, and owners take turns if there are more owners than stacks', () => {
    expect(stopFor('x', [polled('a'), polled('b', older)])).toBe('b')
    expect(stopFor('x', [polled('a', young), polled('b', young)])).toBeUndefined()
  })

  it('[STK-33] includes a stack to which a client with a valid credential has just opened a socket', () => {
    const opened = (isVerified: boolean) => new Set([{ since: JUST_NOW, isFromCaller: () => false, isVerified }])
    const stacks = (isVerified: boolean) =>
      ['a1', 'a2'].map((id) => running(id, { ...young, uses: opened(isVerified) }))
    expect(stopFor('a', stacks(true))).toBeUndefined()
    expect(stopFor('x', stacks(true))).toBeUndefined()
    expect(stopFor('a', stacks(false))).toBe('a1')
  })
})
