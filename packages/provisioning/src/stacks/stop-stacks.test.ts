import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '@storey/kit/log'
import { afterEach, describe, expect, it } from 'vitest'
import { createStackPool, type LocalStackPool, type StackPoolOptions } from './stack-pool.ts'
import type { OnDue } from './stack-runtime.ts'

const SANDBOX = { id: 'sbx_a', organizationId: 'org_a' }
const OTHER = { id: 'sbx_b', organizationId: 'org_b' }

describe('a stop that fails at first', () => {
  const pools: LocalStackPool[] = []
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close()
  })

  /** A pool whose stops fail while `isDown`, and the times of its attempts to stop a stack. */
  function open(changes: Partial<StackPoolOptions> = {}) {
    const runtime = { isDown: true, stoppedAt: [] as number[] }
    const kept: (Date | null)[] = []
    const ends = new Map<string, () => void>()
    let reportDue: OnDue = () => undefined
    const pool = createStackPool({
      ...{ idleMs: 0, log: silentLog, send: () => undefined, onStopped: () => undefined },
      stopRetry: { firstMs: 20, maxMs: 80 },
      async start({ id }, onDue) {
        reportDue = onDue
        const { promise: ended, resolve } = Promise.withResolvers<void>()
        ends.set(id, resolve)
        return { host: '127.0.0.1', port: 1, ended }
      },
      async stop(sandboxId) {
        runtime.stoppedAt.push(performance.now())
        if (runtime.isDown) throw new Error('the cluster does not answer')
        ends.get(sandboxId)?.()
      },
      keepDue: async (_, dueAt) => void kept.push(dueAt),
      ...changes,
    })
    pools.push(pool)
    const use = async (sandbox = SANDBOX) => {
      const { release } = await pool.use(sandbox)
      release()
    }
    return { pool, runtime, kept, use, reportDue: (at: Date | null) => reportDue(at) }
  }
  const isGone = (pool: LocalStackPool) => expect.poll(() => pool.isActive(SANDBOX.id)).toBe(false)

  it('[STK-38] is repeated after growing pauses until it succeeds', async () => {
    const { pool, runtime, use } = open()
    await use()
    await expect(pool.stop(SANDBOX.id)).rejects.toThrow('does not answer')
    await expect.poll(() => runtime.stoppedAt.length).toBeGreaterThan(4)
    const pauses = runtime.stoppedAt.slice(1, 5).map((at, i) => at - runtime.stoppedAt[i]!)
    for (const [i, leastMs] of [20, 20, 40, 80].entries()) expect(pauses[i]).toBeGreaterThan(leastMs - 5)
    expect(pool.list()).toMatchObject([{ sandboxId: SANDBOX.id, state: 'stopping' }])
    runtime.isDown = false
    await isGone(pool)
    const attempts = runtime.stoppedAt.length
    await sleep(200)
    expect(runtime.stoppedAt).toHaveLength(attempts)
  })

  it('[STK-38] is repeated for an idle stack', async () => {
    const { pool, runtime, use } = open({ idleMs: 20 })
    await use()
    await expect.poll(() => runtime.stoppedAt.length).toBeGreaterThan(1)
    runtime.isDown = false
    await isGone(pool)
  })

  it('[STK-38] frees the capacity of the stack, for which another stack waits, when it succeeds', async () => {
    const { pool, runtime, use } = open({ bounds: { connectionsOf: () => 100, maxStacks: 1, waitMs: 5_000 } })
    await use()
    await expect(pool.stop(SANDBOX.id)).rejects.toThrow('does not answer')
    const used = () => pool.capacity().map((server) => server.used)
    const waiting = use(OTHER)
    await sleep(50)
    expect(used()).toEqual([6])
    runtime.isDown = false
    await waiting
    expect(pool.running()).toEqual([OTHER.id])
    expect(used()).toEqual([6])
  })

  it('[STK-38] keeps the due work that the stack reported at an earlier attempt', async () => {
    const at = new Date('2026-03-01T12:00:00Z')
    const { pool, runtime, kept, use, reportDue } = open()
    await use()
    reportDue(null)
    const stopping = pool.stop(SANDBOX.id)
    reportDue(at)
    await expect(stopping).rejects.toThrow()
    runtime.isDown = false
    await isGone(pool)
    expect(kept).toEqual([at])
  })

  it('[STK-38] is repeated for a stack that was starting, and then waits for the end of the start', async () => {
    const listening = Promise.withResolvers<void>()
    const running = new Set<string>()
    const { pool, runtime, use } = open({
      async start({ id }) {
        await listening.promise
        running.add(id)
        return { host: '127.0.0.1', port: 1, ended: new Promise(() => undefined) }
      },
      async stop(sandboxId) {
        runtime.stoppedAt.push(performance.now())
        if (runtime.isDown) throw new Error('the cluster does not answer')
        running.delete(sandboxId)
      },
    })
    const using = use().catch(() => undefined)
    await sleep(0)
    await expect(pool.stop(SANDBOX.id)).rejects.toThrow()
    runtime.isDown = false
    const attempts = runtime.stoppedAt.length
    await expect.poll(() => runtime.stoppedAt.length).toBe(attempts + 1)
    listening.resolve()
    await using
    await isGone(pool)
    expect([...running]).toEqual([])
  })

  it('[STK-38] refuses requests for the stack with 503, and lets the next request after it start the stack', async () => {
    const { pool, runtime, use } = open()
    await use()
    await expect(pool.stop(SANDBOX.id)).rejects.toThrow()
    await expect(use()).rejects.toMatchObject({ code: 'NOT_READY', status: 503 })
    runtime.isDown = false
    await use()
    expect(pool.running()).toEqual([SANDBOX.id])
  })

  it('[STK-38] is not repeated after another control plane has taken over the stack', async () => {
    const { pool, runtime, use } = open()
    await use()
    await expect(pool.stop(SANDBOX.id)).rejects.toThrow()
    pool.abandon()
    const attempts = runtime.stoppedAt.length
    await sleep(100)
    expect(runtime.stoppedAt).toHaveLength(attempts)
  })
})
