import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { problems } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../testing/control-plane.ts'
import { createWaker } from './waker.ts'

const HOUR_MS = 3_600_000
const IDLE_MS = 300

describe('the waker', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  beforeAll(async () => {
    test = await testControlPlane({ stackIdleMs: IDLE_MS, tickMs: 50 })
  })
  afterAll(() => test.drop())

  const inMs = (ms: number) => new Date(test.clock.now().getTime() + ms)
  const status = (sandboxId: string) => test.runtime.status(sandboxId)
  const stopped = (sandboxId: string) => expect.poll(() => status(sandboxId)).toBe('stopped')
  const running = (sandboxId: string) => expect.poll(() => status(sandboxId)).toBe('running')
  /** Long enough for several runs of the waker. */
  const severalRuns = () => sleep(300)

  /** Sets the due work that a stack reports. */
  function setDue(sandboxId: string, at: Date | null): void {
    const file = join(test.folder, sandboxId, 'due')
    mkdirSync(join(test.folder, sandboxId), { recursive: true })
    if (at) writeFileSync(file, at.toISOString())
    else rmSync(file, { force: true })
  }

  /** A sandbox whose stack was used once and reported work that is due at `dueAt`. */
  async function sleepingSandbox(dueAt: Date | null) {
    const key = await test.newKey()
    const { sandboxId, slug } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    setDue(sandboxId, dueAt)
    expect((await test.call({ host: `${slug}.localhost`, path: '/' })).status).toBe(200)
    await stopped(sandboxId)
    return { key, sandboxId, slug }
  }

  const rowOf = (sandboxId: string) =>
    test.control.row<{ due: Date | null; since: Date | null }>(
      sql`select due_at as due, running_since as since from sandboxes where id = ${sandboxId}`,
    )

  it('[STK-09] wakes a stack shortly before its work is due, and lets it sleep when the work is done', async () => {
    const dueAt = inMs(2 * HOUR_MS)
    const { sandboxId } = await sleepingSandbox(dueAt)
    const other = await sleepingSandbox(null)
    expect(await rowOf(sandboxId)).toEqual({ due: dueAt, since: null })
    test.clock.advance(HOUR_MS)
    await severalRuns()
    expect(status(sandboxId)).toBe('stopped')
    test.clock.advance(HOUR_MS - 4_000)
    await running(sandboxId)
    // The stack keeps running until its work is done.
    test.clock.advance(60_000)
    await sleep(3 * IDLE_MS)
    expect(status(sandboxId)).toBe('running')
    expect(status(other.sandboxId)).toBe('stopped')
    setDue(sandboxId, null)
    await reportDue(sandboxId)
    await stopped(sandboxId)
    await expect.poll(() => rowOf(sandboxId)).toEqual({ due: null, since: null })
    await severalRuns()
    expect(status(sandboxId)).toBe('stopped')
  })

  it('[STK-09] finds due work after a restart of the control plane', async () => {
    const { sandboxId } = await sleepingSandbox(inMs(2 * HOUR_MS))
    await test.restart()
    await severalRuns()
    expect(status(sandboxId)).toBe('stopped')
    await test.stop()
    test.clock.advance(3 * HOUR_MS)
    await test.start()
    await running(sandboxId)
    setDue(sandboxId, null)
  })

  it('[STK-09] wakes a stack that was killed while it ran, to read its due work', async () => {
    const { sandboxId } = await sleepingSandbox(null)
    await test.stop()
    await test.control.run(sql`update sandboxes set running_since = now() where id = ${sandboxId}`)
    await test.start()
    await running(sandboxId)
    await stopped(sandboxId)
    await expect.poll(() => rowOf(sandboxId)).toEqual({ due: null, since: null })
  })

  it('never wakes a sandbox that was removed or has failed, nor a sandbox for work that it had before its reset', async () => {
    const [removed, reset, failed] = [
      await sleepingSandbox(inMs(HOUR_MS)),
      await sleepingSandbox(inMs(HOUR_MS)),
      await sleepingSandbox(inMs(HOUR_MS)),
    ]
    await test.call({ key: removed.key, path: `/api/v1/sandboxes/${removed.sandboxId}`, method: 'DELETE' })
    setDue(reset.sandboxId, null)
    await test.call({ key: reset.key, path: `/api/v1/sandboxes/${reset.sandboxId}/reset`, method: 'POST' })
    await test.waitWhileProvisioning(reset.key, reset.sandboxId)
    expect(await rowOf(reset.sandboxId)).toEqual({ due: null, since: null })
    await test.control.run(sql`update sandboxes set status = 'failed' where id = ${failed.sandboxId}`)
    test.clock.advance(2 * HOUR_MS)
    await severalRuns()
    for (const { sandboxId } of [removed, reset, failed]) expect(status(sandboxId)).toBe('stopped')
    expect(existsSync(join(test.folder, removed.sandboxId))).toBe(false)
  })

  it('wakes a stack after growing pauses if its work is not done, and immediately for other work', async () => {
    const { sandboxId } = await sleepingSandbox(null)
    const dueAt = inMs(0)
    const setDueAt = (at: Date) => test.control.run(sql`update sandboxes set due_at = ${at} where id = ${sandboxId}`)
    await test.stop()
    await setDueAt(dueAt)
    const woken: number[] = []
    const wake = async ({ id }: { id: string }) => {
      if (id === sandboxId) woken.push(test.clock.now().getTime() - dueAt.getTime())
    }
    const { control, clock } = test
    const waker = createWaker({ control, clock, log: silentLog, stacks: { isActive: () => false, wake }, everyMs: 2 })
    waker.start()
    for (const advanceMs of [0, 2, 4, 8, 16]) {
      const tries = woken.length
      clock.advance(advanceMs)
      await expect.poll(() => woken.length, { interval: 5 }).toBe(tries + 1)
    }
    expect(woken).toEqual([0, 2, 6, 14, 30])
    await sleep(50)
    expect(woken).toHaveLength(5)
    await setDueAt(new Date(dueAt.getTime() + 1))
    await expect.poll(() => woken).toEqual([0, 2, 6, 14, 30, 30])
    await waker.stop()
    await test.start()
  })

  it('[STK-09] retries without growing pauses if there is no capacity for the stack', async () => {
    const { sandboxId } = await sleepingSandbox(null)
    const dueAt = inMs(0)
    await test.stop()
    await test.control.run(sql`update sandboxes set due_at = ${dueAt} where id = ${sandboxId}`)
    const woken: number[] = []
    const wake = async ({ id }: { id: string }) => {
      if (id !== sandboxId) return
      woken.push(test.clock.now().getTime() - dueAt.getTime())
      throw problems.notReady('Too many sandboxes are running', 3)
    }
    const { control, clock } = test
    const waker = createWaker({ control, clock, log: silentLog, stacks: { isActive: () => false, wake }, everyMs: 2 })
    waker.start()
    for (const advanceMs of [0, 2, 2, 2]) {
      const tries = woken.length
      clock.advance(advanceMs)
      await expect.poll(() => woken.length, { interval: 5 }).toBe(tries + 1)
    }
    expect(woken).toEqual([0, 2, 4, 6])
    await waker.stop()
    await test.start()
  })

  it('[STK-09, SBX-69] wakes all stacks with due work, however many run and however many cannot be woken', async () => {
    const { sandboxId } = await sleepingSandbox(null)
    await test.stop()
    const { control, clock } = test
    const copy = (from: string, state: string) =>
      control.run(sql`insert into sandboxes (id, developer_id, organization_id,
        tenant_id, name, slug, building, telemetry_days, status, created_at, requested_at, expires_at, request_hash,
        server_id, running_since, due_at)
      select id || ${from} || n, developer_id, organization_id, tenant_id || ${from} || n, name, slug || ${from} || n,
        building, telemetry_days, 'ready', created_at, requested_at, expires_at, request_hash, server_id,
        case when ${state} = 'running' then ${inMs(0)}::timestamptz end,
        case when ${state} <> 'running' then ${inMs(0)}::timestamptz - n * interval '1 minute' end
      from sandboxes, generate_series(1, 7) n where id = ${sandboxId}`)
    await copy('a', 'running')
    await copy('b', 'failing')
    await control.run(sql`update sandboxes set due_at = ${inMs(0)} where id = ${sandboxId}`)
    const woken: string[] = []
    const stacks = {
      isActive: (id: string) => id.startsWith(`${sandboxId}a`),
      async wake({ id }: { id: string }) {
        if (id !== sandboxId) throw problems.notReady('The database server of the sandbox is unavailable', 5)
        woken.push(id)
      },
    }
    const waker = createWaker({ control, clock, log: silentLog, stacks, everyMs: 60_000, pageSize: 3 })
    waker.start()
    await expect.poll(() => woken).toEqual([sandboxId])
    await waker.stop()
    await control.run(sql`delete from sandboxes where id like ${`${sandboxId}_%`}`)
    await test.start()
  })

  async function reportDue(sandboxId: string): Promise<void> {
    const slug = await test.control.row<{ slug: string }>(sql`select slug from sandboxes where id = ${sandboxId}`)
    await test.call({ host: `${slug!.slug}.localhost`, path: '/report-due' })
  }
})
