import { movableClock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { KeyEvent } from '../../key-events.ts'
import { createUseBuffer } from './use-buffer.ts'
import { noteKeyUse } from './watch-uses.ts'

const start = new Date('2026-03-01T08:00:00Z')
const use = (changes: Partial<KeyEvent> = {}): KeyEvent => ({
  at: new Date(),
  action: 'key.used',
  reason: null,
  organizationId: 'org_a',
  keyId: 'key_a',
  actor: 'key_a',
  scope: 'full',
  expiresAt: null,
  status: 200,
  method: 'GET',
  route: '/',
  sourceIp: null,
  userAgent: null,
  ...changes,
})

/** A database that counts the rows it gets, and can be made to fail. */
function fakeDatabase() {
  const state = {
    written: 0,
    batches: 0,
    fails: false,
    rows: [] as (KeyEvent & { count?: number })[],
    marked: new Map<string, Date>(),
    logged: [] as string[],
  }
  const clock = movableClock(start)
  const tx = {
    run: async (statement: { values: readonly unknown[] }) => {
      if (state.fails) throw new Error('no database')
      const rows = JSON.parse(String(statement.values[0]))
      state.rows.push(...rows)
      state.written += rows.length
      state.batches++
    },
  }
  const control = { transaction: (work: (one: unknown) => unknown) => work(tx) } as unknown as Database
  const markUsed = async (_: Tx, uses: ReadonlyMap<string, Date>) => {
    for (const [key, at] of uses) state.marked.set(key, at)
  }
  const log = pino({ level: 'warn' }, { write: (line: string) => state.logged.push(line) })
  return { state, clock, options: { control, clock, log, markUsed, everyMs: 3_600_000 } }
}

describe('buffered uses of keys', () => {
  it('are written in batches, with the time of the last allowed use of each key', async () => {
    const { state, options } = fakeDatabase()
    const buffer = createUseBuffer(options)
    const last = new Date(Date.now() + 60_000)
    for (let i = 0; i < 4_500; i++) buffer.add(use())
    buffer.add(use({ at: last }))
    buffer.add(use({ at: new Date(0) }))
    buffer.add(use({ keyId: 'key_b', reason: 'expired' }))
    await buffer.close()
    expect([state.written, state.batches]).toEqual([4_503, 3])
    expect([...state.marked]).toEqual([['key_a', last]])
  })

  it('are kept while they cannot be written, up to a limit at which all keys are refused', async () => {
    const { state, options } = fakeDatabase()
    const buffer = createUseBuffer({ ...options, maxWaiting: 10 })
    state.fails = true
    for (let i = 0; i < 9; i++) buffer.add(use())
    await buffer.flush()
    await buffer.flush()
    expect([buffer.isFull(), state.logged.length]).toEqual([false, 1])
    buffer.add(use())
    expect(buffer.isFull()).toBe(true)
    const { action: _, status: __, ...seen } = use()
    expect(() => noteKeyUse(buffer, {} as never, seen)).toThrow(expect.objectContaining({ code: 'NOT_READY' }))
    state.fails = false
    await buffer.close()
    expect([state.written, buffer.isFull()]).toEqual([10, false])
  })

  const unknown = (changes: Partial<KeyEvent> = {}) =>
    use({ at: start, organizationId: null, keyId: null, actor: null, reason: 'unknown', status: 401, ...changes })

  it('[AUD-15] of unknown keys are written per status: a row for the first use, then one row per minute', async () => {
    const { state, clock, options } = fakeDatabase()
    const buffer = createUseBuffer(options)
    for (let second = 0; second < 150; second++) {
      const at = clock.now()
      for (let i = 0; i < 100; i++) buffer.add(unknown({ at, userAgent: `agent ${i}`, status: second < 5 ? 401 : 429 }))
      await buffer.flush()
      clock.advance(1_000)
    }
    await buffer.close()
    expect(state.rows.map(({ status, count = 1, firstAt, at }) => [status, count, firstAt ?? at, at])).toEqual([
      [401, 1, iso(0), iso(0)],
      [429, 1, iso(5), iso(5)],
      [401, 499, iso(0), iso(4)],
      [429, 6_099, iso(5), iso(65)],
      [429, 6_000, iso(66), iso(125)],
      [429, 2_400, iso(126), iso(149)],
    ])
  })
  const iso = (second: number) => new Date(start.getTime() + second * 1_000).toISOString()

  it('[AUD-15] from addresses of one IPv6 network are counted together', async () => {
    const { state, options } = fakeDatabase()
    const buffer = createUseBuffer(options)
    for (let i = 1; i <= 50; i++) buffer.add(unknown({ sourceIp: `2001:db8::${i}` }))
    await buffer.close()
    expect(state.rows.map(({ count = 1, sourceIp }) => [count, sourceIp])).toEqual([
      [1, '2001:db8::1'],
      [49, '2001:db8::50'],
    ])
  })

  it('[AUD-16] are counted by reason and address if they are refused, and written singly if they are allowed', async () => {
    const { state, options } = fakeDatabase()
    const buffer = createUseBuffer(options)
    for (let i = 0; i < 50; i++) buffer.add(use({ at: start }))
    for (let i = 0; i < 50; i++) buffer.add(use({ at: start, status: 429 }))
    for (let i = 0; i < 50; i++) buffer.add(use({ at: start, status: 403, reason: 'out_of_scope' }))
    buffer.add(use({ at: start, status: 403, reason: 'out_of_scope', sourceIp: '192.0.2.9' }))
    await buffer.close()
    expect(state.rows.slice(50).map(({ status, count }) => [status, count ?? 1])).toEqual([
      [429, 1],
      [403, 1],
      [403, 1],
      [429, 49],
      [403, 49],
    ])
  })

  it('[AUD-17] of 100,000 unknown keys from as many addresses are all counted, in a few rows', async () => {
    const { state, options } = fakeDatabase()
    const buffer = createUseBuffer({ ...options, maxWaiting: 100, maxUnknown: 20 })
    for (let i = 0; i < 100_000; i++) {
      buffer.add(unknown({ sourceIp: `2001:db8:${i >> 16}:${(i & 0xffff).toString(16)}::1`, userAgent: `agent ${i}` }))
    }
    expect(buffer.isFull()).toBe(false)
    buffer.add(use())
    await buffer.close()
    expect(state.written).toBe(23)
    expect(state.rows.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(100_001)
    expect(state.rows.at(-1)).toMatchObject({ count: 99_979, sourceIp: null, userAgent: null, reason: 'unknown' })
  })

  it('of unknown keys are still counted when the buffer is full and nothing can be written', async () => {
    const { state, options } = fakeDatabase()
    const buffer = createUseBuffer({ ...options, maxWaiting: 10 })
    state.fails = true
    for (let i = 0; i < 10; i++) buffer.add(use())
    for (let i = 0; i < 10; i++) buffer.add(unknown())
    await buffer.flush()
    state.fails = false
    await buffer.close()
    expect(state.rows.map(({ count = 1 }) => count)).toEqual([...Array(10).fill(1), 10])
  })
})
