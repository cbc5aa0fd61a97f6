import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { readRuns } from '@storey/kit/background'
import { movableClock } from '@storey/kit/clock'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createReplicas, type StackAddress } from './replicas.ts'
import { createStackPool, type StackPoolOptions } from './stack-pool.ts'
import { DatabaseUnavailable, type OnDue } from './stack-runtime.ts'

const BACKOFF = { firstMs: 2, maxMs: 10, resetAfterMs: 60_000, databaseMs: 5 }
const MINUTE_MS = 60_000
const UNAUTHENTICATED = { isFromCaller: () => false }
const owned = (id: string, organizationId = 'dev_a') => ({ id, organizationId })

/** A pool whose stacks the test controls, and what the pool logged (`pauses`), saved (`kept`) and sent. */
function testPool(changes: Partial<StackPoolOptions> = {}) {
  const stacks: { end: () => void; reportDue: OnDue }[] = []
  const pauses: number[] = []
  const kept: [string, Date | null][] = []
  const sent: string[] = []
  const clock = movableClock()
  const log = pino({ level: 'warn' }, { write: (line) => void pauses.push(JSON.parse(line).pauseMs) })
  const pool = createStackPool({
    idleMs: 0,
    backoff: BACKOFF,
    clock,
    log,
    start: async (_, reportDue) => {
      let end = () => {}
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      stacks.push({ end, reportDue })
      return { host: '127.0.0.1', port: stacks.length, ended }
    },
    stop: async () => stacks.at(-1)?.end(),
    send: (sandboxId, command) => void sent.push(`${sandboxId} ${command.type}`),
    keepDue: async (sandboxId, dueAt) => void kept.push([sandboxId, dueAt]),
    onStopped: () => undefined,
    ...changes,
  })
  const crash = async () => {
    const { stack, release } = await pool.use(owned('sbx_a'))
    release()
    stacks.at(-1)!.end()
    await stack.ended
    await sleep(0)
  }
  return { pool, crash, pauses, kept, sent, clock, starts: () => stacks.length, latest: () => stacks.at(-1)! }
}

/** A pool with capacity for two stacks. Each stack reports work that is due at `dueAt`; null: no work. */
function poolOfTwo(dueAt: Date | null = null, uncalledMs = MINUTE_MS) {
  const ends = new Map<string, () => void>()
  const { pool } = testPool({
    bounds: {
      connectionsOf: () => 100,
      maxStacks: 2,
      waitMs: 5_000,
      keep: { turnMs: 1_000, uncalledMs, runMs: MINUTE_MS },
    },
    start: async ({ id: sandboxId }, reportDue) => {
      reportDue(dueAt)
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      ends.set(sandboxId, resolve)
      return { host: '127.0.0.1', port: 1, ended }
    },
    stop: async (sandboxId) => ends.get(sandboxId)?.(),
  })
  return pool
}

describe('the pool of stacks', () => {
  it('[KUB-21] announces the processes of a stack while the stack runs, and ends one of them on request', async () => {
    const [one, two] = [1, 2].map((port) => ({ host: '127.0.0.1', port })) as [StackAddress, StackAddress]
    const ended: StackAddress[] = []
    const replicas = createReplicas([one], { end: async (replica) => void ended.push(replica) })
    const announced: unknown[] = []
    const { pool } = testPool({
      start: async () => ({ ...one, ended: new Promise(() => undefined), replicas }),
      shared: {
        ...{ confirmIdle: async () => undefined, onGone: () => undefined },
        onReplicas: (sandboxId, list) => void announced.push([sandboxId, list.addresses]),
      },
    })
    const { release } = await pool.use(owned('sbx_a'))
    release()
    replicas.set([one, two])
    expect(announced).toEqual([['sbx_a', [one, two]]])
    await pool.endReplica('sbx_a', { ...two })
    await pool.endReplica('sbx_a', { host: '127.0.0.1', port: 3 })
    await pool.endReplica('sbx_b', two)
    expect(ended).toEqual([two])
    await pool.stop('sbx_a')
    replicas.set([two])
    expect(announced).toHaveLength(1)
  })

  it('keeps the PostgreSQL connections of a stack that starts again while its abandoned start is running', async () => {
    const starts: PromiseWithResolvers<{ host: string; port: number; ended: Promise<void> }>[] = []
    const { pool } = testPool({
      bounds: { connectionsOf: () => 20, maxStacks: 0 },
      start: () => {
        const starting = Promise.withResolvers<{ host: string; port: number; ended: Promise<void> }>()
        starts.push(starting)
        return starting.promise
      },
    })
    const used = () => pool.capacity().map((server) => server.used)
    const abandoned = pool.use(owned('sbx_a')).catch(() => undefined)
    await expect.poll(() => starts.length).toBe(1)
    pool.abandon()
    expect(used()).toEqual([0])
    const again = pool.use(owned('sbx_a'))
    await expect.poll(() => starts.length).toBe(2)
    const running = { host: '127.0.0.1', port: 1, ended: new Promise<void>(() => undefined) }
    starts[1]!.resolve(running)
    ;(await again).release()
    const [share] = used()
    expect(share).toBeGreaterThan(0)
    starts[0]!.resolve({ ...running, ended: Promise.resolve() })
    await abandoned
    await sleep(5)
    expect(used()).toEqual([share])
  })

  it('[STK-10] waits twice as long after each crash, up to a limit', async () => {
    const { pool, crash, pauses, starts } = testPool()
    for (let i = 0; i < 5; i++) await crash()
    expect(pauses).toEqual([2, 4, 8, 10, 10])
    await pool.use(owned('sbx_a'))
    expect(starts()).toBe(6)
    await pool.close()
  })

  it('[STK-10] does not count a stack that was stopped by a signal as crashed, and starts it with the next request', async () => {
    for (const exit of [
      { exitCode: 0, signal: null },
      { exitCode: null, signal: 'SIGINT' },
    ]) {
      let end = () => {}
      let starts = 0
      const start: StackPoolOptions['start'] = async (_, reportDue) => {
        starts++
        reportDue(null)
        const ended = new Promise<void>((resolve) => {
          end = resolve
        })
        return { host: '127.0.0.1', port: 1, ended, exit: () => exit }
      }
      const { pool, pauses, kept } = testPool({ start, stop: async () => end() })
      ;(await pool.use(owned('sbx_a'))).release()
      end()
      await sleep(0)
      expect(pauses).toEqual([])
      expect(kept).toEqual([['sbx_a', null]])
      await pool.use(owned('sbx_a'))
      expect(starts).toBe(2)
      await pool.close()
    }
  })

  it('[STK-10] does not increase the pause while the database is unavailable', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const failures = [away, new DatabaseUnavailable(), away]
    let started = 0
    const { pool, pauses } = testPool({
      start: async () => {
        started++
        const failure = failures.shift()
        if (failure) throw failure
        return { host: '127.0.0.1', port: 1, ended: new Promise(() => undefined) }
      },
    })
    while (started < 4) await pool.use(owned('sbx_a')).catch(() => undefined)
    expect((await pool.use(owned('sbx_a'))).stack.port).toBe(1)
    expect(pauses).toEqual([5, 5, 5])
    await pool.close()
  })

  it('resets the pause after a time without a crash', async () => {
    const { pool, crash, pauses } = testPool({ backoff: { ...BACKOFF, resetAfterMs: -1 } })
    for (let i = 0; i < 3; i++) await crash()
    expect(pauses).toEqual([2, 2, 2])
    await pool.close()
  })

  it('[STK-08] starts one stack for concurrent requests, and refuses requests after it was closed', async () => {
    const { pool, starts } = testPool()
    await Promise.all(Array.from({ length: 10 }, () => pool.use(owned('sbx_a'))))
    expect(starts()).toBe(1)
    await pool.close()
    await expect(pool.use(owned('sbx_b'))).rejects.toThrow('shutting down')
  })

  it('[STK-08] serves every sandbox when more are requested than can start at a time', async () => {
    let starting = 0
    let maxStarting = 0
    const { pool } = testPool({
      startQueue: { maxStarting: 3, holdMs: MINUTE_MS },
      start: async () => {
        maxStarting = Math.max(maxStarting, ++starting)
        await sleep(1)
        starting--
        return { host: '127.0.0.1', port: 1, ended: new Promise(() => undefined) }
      },
      stop: async () => undefined,
    })
    const used = await Promise.all(Array.from({ length: 40 }, (_, i) => pool.use(owned(`sbx_${i}`))))
    expect(used).toHaveLength(40)
    expect(maxStarting).toBe(3)
    await pool.close()
  })

  it('[STK-24] wakes only a few stacks for one client before it wakes a stack for another client', async () => {
    const begun: string[] = []
    const ends: (() => void)[] = []
    const { pool } = testPool({
      startQueue: { maxStarting: 1, holdMs: MINUTE_MS },
      start: async ({ id: sandboxId }) => {
        begun.push(sandboxId)
        await new Promise<void>((resolve) => ends.push(resolve))
        return { host: '127.0.0.1', port: 1, ended: new Promise(() => undefined) }
      },
      stop: async () => undefined,
    })
    const many = ['sbx_1', 'sbx_2', 'sbx_3', 'sbx_4']
    const uses = many.map((id) => pool.use(owned(id, `owner of ${id}`), { client: '192.0.2.1' }))
    await sleep(0)
    uses.push(pool.use(owned('sbx_own', 'another owner'), { client: '198.51.100.1' }))
    for (let i = 0; i < 5; i++) {
      await expect.poll(() => begun.length).toBe(i + 1)
      ends[i]!()
    }
    await Promise.all(uses)
    expect(begun[1]).toBe('sbx_own')
    expect(begun).toHaveLength(5)
    await pool.close()
  })

  it('[STK-36] starts more stacks at a time than one client may wake', async () => {
    const begun: string[] = []
    const { pool } = testPool({
      startQueue: { maxStarting: 3, perClient: 1, holdMs: MINUTE_MS },
      start: ({ id }) => {
        begun.push(id)
        return new Promise(() => undefined)
      },
      stop: async () => undefined,
    })
    for (const [i, client] of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].entries())
      pool.use(owned(`sbx_${i}`, `owner ${i}`), { client }).catch(() => undefined)
    await expect.poll(() => begun).toEqual(['sbx_0', 'sbx_2', 'sbx_3'])
  })

  it('immediately stops a stack whose start has not begun', async () => {
    const never = new Promise<never>(() => undefined)
    const { pool } = testPool({ startQueue: { maxStarting: 1, holdMs: MINUTE_MS }, start: () => never })
    pool.use(owned('sbx_a')).catch(() => undefined)
    const waiting = pool.use(owned('sbx_b'))
    await Promise.all([expect(waiting).rejects.toThrow('being stopped'), sleep(0).then(() => pool.stop('sbx_b'))])
    expect(pool.isActive('sbx_b')).toBe(false)
  })

  it('stops a stack that is still starting', async () => {
    let start = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const running = new Set<string>()
    const { pool } = testPool({
      start: async ({ id: sandboxId }) => {
        await started
        running.add(sandboxId)
        return { host: '127.0.0.1', port: 1, ended: new Promise(() => undefined) }
      },
      stop: async (sandboxId) => void running.delete(sandboxId),
    })
    const using = pool.use(owned('sbx_a'))
    await sleep(0)
    const stopping = pool.stop('sbx_a')
    start()
    await Promise.all([using, stopping])
    expect([...running]).toEqual([])
    expect(pool.isActive('sbx_a')).toBe(false)
  })
})

describe('the check for idle stacks', () => {
  it('never runs twice at a time, however long the other control planes take', async () => {
    let [under, most, calls] = [0, 0, 0]
    const { pool } = testPool({
      idleMs: 10,
      shared: {
        ...{ onGone: () => undefined, onReplicas: () => undefined },
        async confirmIdle() {
          calls++
          most = Math.max(most, ++under)
          await sleep(50)
          under--
          if (calls < 3) throw new Error('no answer')
        },
      },
    })
    const { release } = await pool.use(owned('sbx_a'))
    release()
    await expect.poll(() => pool.isActive('sbx_a')).toBe(false)
    expect(most).toBe(1)
    expect(calls).toBe(3)
    await pool.close()
  })

  it('counts its failures, logs them once with the sandbox, and stops other idle stacks meanwhile', async () => {
    const lines: { msg: string; err: { message: string } }[] = []
    let isFailing = true
    const { pool } = testPool({
      idleMs: 10,
      log: pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) }),
      shared: {
        ...{ onGone: () => undefined, onReplicas: () => undefined },
        async confirmIdle(sandboxId) {
          if (isFailing && sandboxId === 'sbx_a') throw new Error('no answer')
        },
      },
    })
    const failures = () => readRuns()['idle-stacks']?.failed ?? 0
    const before = failures()
    for (const id of ['sbx_a', 'sbx_b']) (await pool.use(owned(id))).release()
    await expect.poll(() => pool.isActive('sbx_b')).toBe(false)
    await expect.poll(() => failures() - before).toBeGreaterThan(2)
    expect(lines.map(({ msg, err }) => [msg, err.message])).toEqual([
      ['background work failed, retrying', 'could not stop idle stack sbx_a: no answer'],
    ])
    isFailing = false
    await expect.poll(() => pool.isActive('sbx_a')).toBe(false)
    await pool.close()
  })
})

describe('a stack without due work', () => {
  it('[STK-07] becomes idle on time, even if the clock was ahead while the stack was used', async () => {
    const ahead = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 30 * 1_440 * MINUTE_MS)
    const { pool, latest } = testPool({ idleMs: 20 })
    const { release } = await pool.use(owned('sbx_a'))
    latest().reportDue(null)
    release()
    ahead.mockRestore()
    await expect.poll(() => pool.isActive('sbx_a')).toBe(false)
  })
})

describe('a stack with due work', () => {
  const ready = async (test: ReturnType<typeof testPool>) => {
    const { release } = await test.pool.use(owned('sbx_a'))
    release()
  }

  it.each([
    ['is behind with its work', -MINUTE_MS],
    ['has work that is due before it would be idle', 10],
  ])('[STK-07] is not idle while it %s', async (_, aheadMs) => {
    const test = testPool({ idleMs: 20 })
    await ready(test)
    test.latest().reportDue(new Date(test.clock.now().getTime() + aheadMs))
    await sleep(100)
    expect(test.pool.running()).toEqual(['sbx_a'])
    test.latest().reportDue(null)
    await expect.poll(() => test.pool.isActive('sbx_a')).toBe(false)
  })

  it('[STK-09] is stopped when it becomes idle if its work is due later, and its last report is kept', async () => {
    const later = new Date(Date.now() + 3_600_000)
    const test = testPool({
      idleMs: 20,
      stop: async () => {
        test.latest().reportDue(later)
        test.latest().end()
      },
    })
    await ready(test)
    test.latest().reportDue(new Date(later.getTime() + 1))
    await expect.poll(() => test.pool.isActive('sbx_a')).toBe(false)
    expect(test.kept).toEqual([['sbx_a', later]])
  })

  it('[STK-09] has unknown due work if it sends no report when it stops', async () => {
    const test = testPool({ idleMs: 20 })
    await ready(test)
    test.latest().reportDue(null)
    await expect.poll(() => test.pool.isActive('sbx_a')).toBe(false)
    expect(test.kept).toEqual([])
  })

  it('[STK-07] starts again after a crash, and is not idle then', async () => {
    const test = testPool({ idleMs: 20 })
    await ready(test)
    test.latest().reportDue(test.clock.now())
    await test.crash()
    await expect.poll(() => test.pool.running()).toEqual(['sbx_a'])
    await sleep(100)
    expect(test.pool.running()).toEqual(['sbx_a'])
    await test.pool.close()
  })

  it('[STK-09] is woken without a request, only once by two concurrent calls, and becomes idle again', async () => {
    const test = testPool({ idleMs: 40 })
    await Promise.all([test.pool.wake(owned('sbx_a')), test.pool.wake(owned('sbx_a'))])
    expect(test.starts()).toBe(1)
    await expect.poll(() => test.pool.isActive('sbx_a')).toBe(false)
  })

  it('[STK-25] is stopped after a while if other stacks wait for capacity and no caller uses it', async () => {
    const pool = poolOfTwo(new Date(), 50)
    await pool.use(owned('sbx_called'))
    await pool.wake(owned('sbx_simulating'))
    await pool.use(owned('sbx_next'))
    expect(pool.running()).toEqual(['sbx_called', 'sbx_next'])
    // A stack that wakes for due work does not wait for capacity, because requests come first.
    await expect(pool.wake(owned('sbx_simulating'))).rejects.toMatchObject({ code: 'NOT_READY' })
    expect(pool.isActive('sbx_simulating')).toBe(false)
    await pool.close()
  })
})

describe('a full pool', () => {
  it('[STK-18] stops a stack without callers so that a waiting stack can start, and does not stop a stack with a caller', async () => {
    const pool = poolOfTwo()
    await pool.use(owned('sbx_called'))
    await pool.use(owned('sbx_unused'), UNAUTHENTICATED)
    await pool.use(owned('sbx_next'), UNAUTHENTICATED)
    expect(pool.running()).toEqual(['sbx_called', 'sbx_next'])
    await pool.close()
  })

  it('[STK-27] stops a stack that a caller has just used only if the waiting request has a valid credential', async () => {
    const pool = poolOfTwo()
    for (const sandboxId of ['sbx_a', 'sbx_b']) (await pool.use(owned(sandboxId))).release()
    await sleep(1_050)
    const invented = pool.use(owned('sbx_c'), { ...UNAUTHENTICATED, verify: async () => false })
    invented.catch(() => undefined)
    await sleep(600)
    expect(pool.running()).toEqual(['sbx_a', 'sbx_b'])
    await pool.use(owned('sbx_c'), { ...UNAUTHENTICATED, verify: async () => true })
    expect(pool.running()).toEqual(['sbx_b', 'sbx_c'])
    await pool.close()
  })

  it('[STK-18] stops a stack that unauthenticated clients woke rather than one that a caller just used', async () => {
    const pool = poolOfTwo()
    const { release } = await pool.use(owned('sbx_called'))
    release()
    await sleep(1_050)
    for (const sandboxId of ['sbx_a', 'sbx_b', 'sbx_c']) (await pool.use(owned(sandboxId), UNAUTHENTICATED)).release()
    expect(pool.running()).toEqual(['sbx_called', 'sbx_c'])
    await pool.close()
  })
})

describe('a full pool that owners share', () => {
  /** The minimum run time of a stack that callers use: `turnMs` in `choose-stop.ts`. */
  const TURN_MS = 10_000
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** A pool with capacity for three stacks, and the ids of started sandboxes. Time passes only in `pass`. */
  function poolOfThree() {
    vi.useFakeTimers()
    vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
    const started: string[] = []
    const ends = new Map<string, () => void>()
    const { pool } = testPool({
      bounds: { connectionsOf: () => 100, maxStacks: 3 },
      start: async ({ id: sandboxId }, reportDue) => {
        started.push(sandboxId)
        reportDue(null)
        const { promise: ended, resolve } = Promise.withResolvers<void>()
        ends.set(sandboxId, resolve)
        return { host: '127.0.0.1', port: 1, ended }
      },
      stop: async (sandboxId) => ends.get(sandboxId)?.(),
    })
    return { pool, started, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
  }

  it('[STK-32] keeps the stack of one owner while another owner polls more stacks than its share', async () => {
    const { pool, started, pass } = poolOfThree()
    const isPolling = new Set<string>()
    /** A client that sends its next request only after the response to the last one. */
    const poll = (sandbox: ReturnType<typeof owned>) => {
      if (isPolling.has(sandbox.id)) return
      isPolling.add(sandbox.id)
      void pool
        .use(sandbox)
        .then(({ release }) => release())
        .catch(() => undefined)
        .finally(() => isPolling.delete(sandbox.id))
    }
    const rounds = 120
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) poll(owned('sbx_b', 'dev_b'))
      for (const id of ['sbx_a1', 'sbx_a2', 'sbx_a3']) poll(owned(id))
      await pass(500)
    }
    expect(started.filter((id) => id === 'sbx_b')).toHaveLength(1)
    const ofA = started.filter((id) => id !== 'sbx_b')
    expect(new Set(ofA).size).toBe(3)
    // The owner above its share has two stacks, and each is replaced at most once per `TURN_MS`.
    expect(ofA.length).toBeLessThanOrEqual((2 * (rounds * 500)) / TURN_MS + 2)
    await pool.close()
  })

  it('[STK-32] gives an owner a stack after the minimum run time, even if sockets of another owner use all stacks', async () => {
    const { pool, pass } = poolOfThree()
    for (const id of ['sbx_a1', 'sbx_a2', 'sbx_a3']) await pool.use(owned(id))
    const using = pool.use(owned('sbx_b', 'dev_b'))
    await pass(TURN_MS / 2)
    expect(pool.running()).toEqual(['sbx_a1', 'sbx_a2', 'sbx_a3'])
    await pass(TURN_MS)
    await using
    expect(pool.running()).toEqual(['sbx_a2', 'sbx_a3', 'sbx_b'])
    // The client whose socket was closed connects again. No stack that is in use is stopped for that client.
    const again = expect(pool.use(owned('sbx_a1'))).rejects.toMatchObject({ code: 'NOT_READY', status: 503 })
    await pass(3 * TURN_MS)
    await again
    expect(pool.running()).toEqual(['sbx_a2', 'sbx_a3', 'sbx_b'])
    await pool.close()
  })

  it('[DIR-38] stops a stack between two requests on connections that the stack serves itself, and not during a request', async () => {
    const { pool, pass } = poolOfThree()
    const calledAt = new Map<string, number>()
    const ids = ['sbx_a1', 'sbx_c1', 'sbx_d1']
    for (const id of ids) await pool.use(owned(id, `dev_${id[4]}`), { lastCallAt: () => calledAt.get(id)! })
    const callAll = () => ids.forEach((id) => void calledAt.set(id, performance.now()))
    callAll()
    await pass(TURN_MS)
    callAll()
    const using = pool.use(owned('sbx_b', 'dev_b'))
    for (let i = 0; i < 10; i++) {
      await pass(200)
      callAll()
    }
    expect(pool.running()).toEqual(ids)
    await pass(200)
    ids.slice(1).forEach((id) => void calledAt.set(id, performance.now()))
    await pass(300)
    await using
    expect(pool.running()).toEqual(['sbx_c1', 'sbx_d1', 'sbx_b'])
    await pool.close()
  })

  it('[STK-33] counts a socket with a valid credential as used by a caller from the moment it connects', async () => {
    const { pool, started, pass } = poolOfThree()
    const first = ['sbx_a1', 'sbx_a2', 'sbx_a3']
    const others = ['sbx_a4', 'sbx_a5', 'sbx_a6']
    for (const id of first) (await pool.use(owned(id))).release()
    await pass(TURN_MS)
    const connect = (id: string) =>
      void pool
        .use(owned(id), { isFromCaller: (lastedMs) => lastedMs > 6_000, verify: async () => true })
        .catch(() => undefined)
    others.forEach(connect)
    await pass(TURN_MS / 4)
    expect(started).toEqual([...first, ...others])
    first.forEach(connect)
    await pass(TURN_MS / 2)
    expect(pool.running()).toEqual(others)
    await pool.close()
  })
})

describe('a command', () => {
  it('reaches a running or starting stack, and does not wake a stopped one', async () => {
    const test = testPool()
    const command = { type: 'revoked', issuer: 'i', subject: 's' } as const
    await test.pool.send('sbx_a', command)
    expect([test.starts(), test.sent]).toEqual([0, []])
    const using = test.pool.use(owned('sbx_a'))
    await sleep(0)
    await test.pool.send('sbx_a', command)
    await using
    await test.pool.send('sbx_a', command)
    expect(test.sent).toEqual(['sbx_a revoked', 'sbx_a revoked'])
    await test.pool.close()
  })
})
