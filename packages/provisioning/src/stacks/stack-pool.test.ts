import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createStackPool } from './stack-pool.ts'

/** A pool whose stacks end when the test says so, and what it logged. */
function testPool(backoff: { firstMs: number; mostMs: number; calmMs: number }) {
  const crashes: (() => void)[] = []
  const pauses: number[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void pauses.push(JSON.parse(line).pauseMs) })
  const pool = createStackPool({
    idleMs: 0,
    backoff,
    log,
    start: async () => ({
      host: '127.0.0.1',
      port: crashes.length,
      ended: new Promise<void>((end) => crashes.push(end)),
    }),
    stop: async () => undefined,
  })
  const crash = async () => {
    const { stack, release } = await pool.use('sbx_a')
    release()
    crashes.at(-1)!()
    await stack.ended
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  return { pool, crash, pauses, starts: () => crashes.length }
}

describe('the pool of stacks', () => {
  it('[STK-10] waits twice as long after each crash, up to a limit', async () => {
    const { pool, crash, pauses, starts } = testPool({ firstMs: 2, mostMs: 10, calmMs: 60_000 })
    for (let i = 0; i < 5; i++) await crash()
    expect(pauses).toEqual([2, 4, 8, 10, 10])
    await pool.use('sbx_a')
    expect(starts()).toBe(6)
    await pool.close()
  })

  it('begins anew after a time without a crash', async () => {
    const { pool, crash, pauses } = testPool({ firstMs: 2, mostMs: 10, calmMs: -1 })
    for (let i = 0; i < 3; i++) await crash()
    expect(pauses).toEqual([2, 2, 2])
    await pool.close()
  })

  it('[STK-08] starts one stack for all who ask at the same time', async () => {
    const { pool, starts } = testPool({ firstMs: 2, mostMs: 10, calmMs: 60_000 })
    await Promise.all(Array.from({ length: 10 }, () => pool.use('sbx_a')))
    expect(starts()).toBe(1)
    await pool.close()
    await expect(pool.use('sbx_b')).rejects.toThrow('shutting down')
  })
})
