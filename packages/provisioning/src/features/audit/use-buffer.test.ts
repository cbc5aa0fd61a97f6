import type { Database, Tx } from '@storey/kit/database'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { KeyEvent } from '../../key-events.ts'
import { createUseBuffer } from './use-buffer.ts'
import { noteKeyUse } from './watch-uses.ts'

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

/** A database that counts the rows it gets, and can be told to fail. */
function standIn() {
  const state = { written: 0, batches: 0, fails: false, marked: new Map<string, Date>(), logged: [] as string[] }
  const tx = {
    run: async (statement: { values: readonly unknown[] }) => {
      if (state.fails) throw new Error('no database')
      state.written += JSON.parse(String(statement.values[0])).length
      state.batches++
    },
  }
  const control = { transaction: (work: (one: unknown) => unknown) => work(tx) } as unknown as Database
  const markUsed = async (_: Tx, uses: ReadonlyMap<string, Date>) => {
    for (const [key, at] of uses) state.marked.set(key, at)
  }
  const log = pino({ level: 'warn' }, { write: (line: string) => state.logged.push(line) })
  return { state, options: { control, log, markUsed, everyMs: 3_600_000 } }
}

describe('uses on their way to the audit', () => {
  it('are written in batches, and in their order', async () => {
    const { state, options } = standIn()
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

  it('are kept while they cannot be written, up to a limit from which on no key may be used', async () => {
    const { state, options } = standIn()
    const buffer = createUseBuffer({ ...options, most: 10 })
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

  it('of unknown keys cannot crowd out the others', async () => {
    const { state, options } = standIn()
    const buffer = createUseBuffer({ ...options, most: 100, mostUnknown: 20 })
    for (let i = 0; i < 100_000; i++) buffer.add(use({ organizationId: null, keyId: null, reason: 'unknown' }))
    expect(buffer.isFull()).toBe(false)
    buffer.add(use())
    await buffer.close()
    expect(state.written).toBe(21)
    expect(state.logged.join('')).toContain('"count":99980')
  })
})
