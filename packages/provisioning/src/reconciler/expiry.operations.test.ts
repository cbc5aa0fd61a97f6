import { movableClock } from '@storey/kit/clock'
import { createClockCheck } from '@storey/kit/clock-check'
import { type Database, serverTime, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreSandbox } from '../operator.ts'
import { GRACE_MS, testControlPlane } from '../testing/control-plane.ts'
import { expire } from './expire.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
type Test = Awaited<ReturnType<typeof testControlPlane>>

const statusOf = async (test: Test, key: string, sandboxId: string) =>
  (await test.call({ key, path: `/api/v1/sandboxes/${sandboxId}` })).status

const trustedAt = async (test: Test) =>
  (await test.control.row<{ at: Date }>(sql`select trusted_at as at from installation`))!.at

async function newSandbox(test: Test, headers: Record<string, string> = {}) {
  const key = await test.newKey()
  const body = { name: 'Short', ttlDays: 1 }
  const { json } = await test.call({ key, path: '/api/v1/sandboxes', body, headers })
  await test.waitWhileProvisioning(key, json.sandboxId)
  return { key, sandboxId: json.sandboxId as string, slug: json.slug as string }
}

describe('a sandbox that expires', () => {
  let test: Test
  let tag: string
  beforeAll(async () => {
    test = await testControlPlane({ tickMs: 50 })
    tag = (await test.control.row<{ tag: string }>(sql`select tag from installation`))!.tag
  })
  afterAll(() => test.drop())

  async function traces(sandboxId: string): Promise<string[]> {
    const name = `storey_${tag}_${sandboxId}`
    const rows = await test.control.rows<{ what: string }>(sql`
      select 'database' as what from pg_database where datname = ${name}
      union all select 'role' from pg_roles where rolname = ${name}
      union all select 'row' from sandboxes where id = ${sandboxId}`)
    return rows.map(({ what }) => what).sort()
  }
  const kept = ['database', 'role', 'row']
  const answerOf = async (slug: string) => (await test.call({ host: `${slug}.localhost`, path: '/' })).status
  const isGone = (key: string, id: string) => expect.poll(() => statusOf(test, key, id)).toBe(404)

  it('[SBX-50, SBX-55] is no longer found in lists or at its address, and is removed after its grace period', async () => {
    const { key, sandboxId, slug } = await newSandbox(test)
    expect(await answerOf(slug)).toBe(200)
    test.clock.advance(DAY_MS + 1)
    await expect.poll(() => answerOf(slug)).toBe(404)
    await isGone(key, sandboxId)
    expect((await test.call({ key, path: '/api/v1/sandboxes' })).json.total).toBe(0)
    expect((await test.call({ key, path: `/api/v1/sandboxes/${sandboxId}`, method: 'DELETE' })).status).toBe(404)
    await expect.poll(() => test.runtime.status(sandboxId)).toBe('stopped')
    test.clock.advance(GRACE_MS - 2_000)
    await pause(300)
    await test.plane().reconciler.sweep()
    expect(await traces(sandboxId)).toEqual(kept)
    test.clock.advance(2_000)
    await expect.poll(() => traces(sandboxId)).toEqual([])
  })

  it('[SBX-50, SBX-69] expires together with many others, a few in each transaction', async () => {
    const { key, sandboxId } = await newSandbox(test)
    await test.stop()
    const { control, clock } = test
    const copies = 25
    await control.run(sql`insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building,
        telemetry_days, status, created_at, requested_at, expires_at, request_hash)
      select id || n, developer_id, organization_id, tenant_id || n, name, slug || n, building, telemetry_days, 'failed',
        created_at, requested_at, expires_at, request_hash from sandboxes, generate_series(1, ${copies}) n
      where id = ${sandboxId}`)
    clock.advance(DAY_MS + 1)
    const [changed, stopped]: [string[], string[]] = [[], []]
    const deps = {
      ...{ control, log: silentLog, expiryGraceMs: 0, expiryBatch: 4 },
      onChange: (slug: string) => void changed.push(slug),
      stopStack: async (id: string) => void stopped.push(id),
    }
    await expire(deps, { now: clock.now(), mayExpire: true, mayRemove: false }, () => undefined)
    expect(changed).toHaveLength(copies + 1)
    await expect.poll(() => stopped).toHaveLength(copies + 1)
    await expire(deps, { now: clock.now(), mayExpire: true, mayRemove: true }, () => undefined)
    const removing = await control.run(sql`select from sandboxes where removing_at is not null`)
    expect(removing).toBe(copies + 1)
    await control.run(sql`delete from sandboxes where id like ${`${sandboxId}_%`}`)
    await test.start()
    await isGone(key, sandboxId)
  })

  it('[SBX-50] expires at the next start if its expiry time passed while the service was down', async () => {
    const { key, sandboxId } = await newSandbox(test)
    test.clock.advance(DAY_MS - HOUR_MS)
    await expect.poll(() => trustedAt(test)).toEqual(test.clock.now())
    await test.stop()
    test.clock.advance(HOUR_MS + 1)
    await test.start()
    await isGone(key, sandboxId)
    expect(await traces(sandboxId)).toEqual(kept)
  })

  it('[SBX-55] does not count in the quota, keeps its slug, and frees its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const { key, sandboxId, slug } = await newSandbox(test, headers)
    for (let i = 0; i < 2; i++) await test.create(key, { ttlDays: 30 })
    test.clock.advance(DAY_MS + 1)
    await isGone(key, sandboxId)
    const again = await test.call({ key, path: '/api/v1/sandboxes', body: { name: 'Short', ttlDays: 1 }, headers })
    expect(again.status).toBe(202)
    expect(again.json.sandboxId).not.toBe(sandboxId)
    expect(await test.control.run(sql`select 1 from sandboxes where slug = ${slug}`)).toBe(1)
  })

  it('[HST-27] is restored by the operator, for the given number of days', async () => {
    const { key, sandboxId, slug } = await newSandbox(test)
    await expect(restoreSandbox(test.control, sandboxId)).rejects.toThrow('is not expired')
    await expect(restoreSandbox(test.control, 'sbx_nobody')).rejects.toThrow('No such sandbox')
    test.clock.advance(DAY_MS + 1)
    await isGone(key, sandboxId)
    const row = await restoreSandbox(test.control, sandboxId, 20)
    const remainingMs = row.expiresAt.getTime() - (await serverTime(test.control)).getTime()
    expect(Math.round(remainingMs / DAY_MS)).toBe(20)
    expect(await statusOf(test, key, sandboxId)).toBe(200)
    expect(await answerOf(slug)).toBe(200)
  })
})

describe('an expired sandbox', () => {
  async function expiring(expiryGraceMs: number) {
    const test = await testControlPlane({ tickMs: 50, expiryGraceMs })
    const { key, sandboxId } = await newSandbox(test)
    return {
      test,
      isVisible: async () => (await statusOf(test, key, sandboxId)) === 200,
      isKept: () => test.control.run(sql`select 1 from sandboxes where id = ${sandboxId} and removing_at is null`),
      async startAfter(ms: number) {
        await expect.poll(() => trustedAt(test)).toEqual(test.clock.now())
        await test.stop()
        test.clock.advance(ms)
        await test.start()
        await expect.poll(async () => (await test.plane().counts()).clocks.agree).toBe(true)
      },
      async runFor(ms: number) {
        test.clock.advance(ms)
        await expect.poll(() => trustedAt(test)).toEqual(test.clock.now())
        await pause(300)
      },
    }
  }

  it('[SBX-78] keeps the rest of its grace period while the service is down', async () => {
    const { test, isVisible, isKept, startAfter, runFor } = await expiring(10 * DAY_MS)
    test.clock.advance(DAY_MS + 1)
    await expect.poll(isVisible).toBe(false)
    await runFor(8 * DAY_MS)
    await startAfter(100 * DAY_MS)
    await runFor(DAY_MS * 1.5)
    expect(await isKept()).toBe(1)
    test.clock.advance(DAY_MS / 2)
    await expect.poll(isKept).toBe(0)
    await test.drop()
  })

  it('[SBX-79] is kept until the service has run for a day, if it expired while the service was down, even without a grace period', async () => {
    const { test, isVisible, isKept, startAfter, runFor } = await expiring(0)
    // The control database may have been restored from a backup, and somebody may have extended the sandbox since the
    // backup, so the sandbox is not removed at once.
    await startAfter(10 * DAY_MS)
    await runFor(HOUR_MS)
    expect(await isVisible()).toBe(false)
    expect(await isKept()).toBe(1)
    // A second downtime does not count either, but the hours in which the service ran before that downtime do.
    await runFor(DAY_MS / 2)
    await startAfter(10 * DAY_MS)
    await runFor(DAY_MS / 2 - 2 * HOUR_MS)
    expect(await isKept()).toBe(1)
    test.clock.advance(2 * HOUR_MS)
    await expect.poll(isKept).toBe(0)
    await test.drop()
  })

  it('[SBX-79] is kept until the service has run for a day, even if it expired only a moment before the service started', async () => {
    const { test, isVisible, isKept, startAfter, runFor } = await expiring(0)
    await runFor(DAY_MS - HOUR_MS)
    await startAfter(HOUR_MS)
    await expect.poll(isVisible).toBe(false)
    await runFor(HOUR_MS)
    expect(await isKept()).toBe(1)
    test.clock.advance(DAY_MS)
    await expect.poll(isKept).toBe(0)
    await test.drop()
  })

  it('[SBX-55] is removed at once if it expires while the service runs and there is no grace period', async () => {
    const test = await testControlPlane({ tickMs: 50, expiryGraceMs: 0 })
    const { sandboxId } = await newSandbox(test)
    test.clock.advance(DAY_MS + 1)
    await expect.poll(() => test.control.run(sql`select 1 from sandboxes where id = ${sandboxId}`)).toBe(0)
    await test.drop()
  })
})

describe('a wrong clock', () => {
  it('[SBX-64] lets nothing expire after a start until the clocks have agreed for a while', async () => {
    const test = await testControlPlane({ tickMs: 50 })
    const { key, sandboxId } = await newSandbox(test)
    const right = test.clock.now()
    await test.stop()
    test.clock.set(new Date(right.getTime() + 30 * DAY_MS))
    // The second start waits too, because the service did not trust the clock after the first start.
    for (let i = 0; i < 2; i++) {
      await test.start()
      await expect.poll(async () => (await test.plane().counts()).clocks.agree).toBe(true)
      await pause(200)
      test.clock.advance(59_000)
      await pause(200)
      expect(await statusOf(test, key, sandboxId)).toBe(200)
      await test.stop()
    }
    test.clock.set(right)
    await test.start()
    await pause(200)
    expect(await test.plane().counts()).toMatchObject({ sandboxes: { ready: 1, expired: 0 } })
    await test.stop()
    test.clock.advance(30 * DAY_MS)
    await test.start()
    await expect.poll(async () => (await test.plane().counts()).clocks.agree).toBe(true)
    expect(await statusOf(test, key, sandboxId)).toBe(200)
    test.clock.advance(60_000)
    await expect.poll(() => statusOf(test, key, sandboxId)).toBe(404)
    await test.drop()
  })

  it('[SBX-65] causes expiries that are undone when the clock is corrected, except those that are due by then', async () => {
    const test = await testControlPlane({ tickMs: 50 })
    const { key, sandboxId, slug } = await newSandbox(test)
    const longer = await test.create(key, { ttlDays: 10 })
    await test.waitWhileProvisioning(key, longer.sandboxId)
    const right = test.clock.now()
    test.clock.advance(30 * DAY_MS)
    for (const id of [sandboxId, longer.sandboxId]) await expect.poll(() => statusOf(test, key, id)).toBe(404)
    test.clock.set(new Date(right.getTime() + 2 * DAY_MS))
    await expect.poll(async () => (await test.plane().counts()).clocks.agree).toBe(true)
    await pause(200)
    expect(await statusOf(test, key, longer.sandboxId)).toBe(404)
    test.clock.advance(60_000)
    await expect.poll(() => statusOf(test, key, longer.sandboxId)).toBe(200)
    expect((await test.call({ host: `${longer.slug}.localhost`, path: '/' })).status).toBe(200)
    expect(await statusOf(test, key, sandboxId)).toBe(404)
    expect((await test.call({ host: `${slug}.localhost`, path: '/' })).status).toBe(404)
    await test.drop()
  })

  it('[SBX-58] lets nothing expire if the clocks of the service and of PostgreSQL jump by 30 days', async () => {
    const test = await testControlPlane({ tickMs: 50 })
    const { key, sandboxId } = await newSandbox(test)
    const right = test.clock.now()
    test.clock.set(new Date(right.getTime() + 30 * DAY_MS))
    await pause(300)
    expect(await statusOf(test, key, sandboxId)).toBe(200)
    expect(await test.plane().counts()).toMatchObject({ sandboxes: { ready: 1, expired: 0 } })
    test.clock.set(right)
    await pause(300)
    expect((await test.plane().counts()).clocks).toEqual({ agree: true, differenceMs: 0 })
    test.clock.advance(DAY_MS + 60_000)
    await expect.poll(() => statusOf(test, key, sandboxId)).toBe(404)
    await test.drop()
  })

  it('[SBX-58] lets nothing expire while the clock of the service differs from PostgreSQL’s', async () => {
    const clock = movableClock()
    let control: Database | undefined
    const agreement = { afterStartMs: 0, afterDisagreementMs: 60_000, beforeRemovalMs: 0 }
    const time = () => (control ? serverTime(control) : Promise.resolve(clock.now()))
    const clockCheck = createClockCheck({
      clock,
      serverTime: time,
      elapsedMs: clock.elapsedMs,
      agreement,
      log: silentLog,
    })
    const test = await testControlPlane({ tickMs: 50 }, silentLog, { clockCheck })
    control = test.control
    const { key, sandboxId } = await newSandbox(test)
    clock.advance(30 * DAY_MS)
    await expect.poll(async () => (await test.plane().counts()).clocks.agree).toBe(false)
    await pause(200)
    expect(await statusOf(test, key, sandboxId)).toBe(200)
    await test.drop()
  })
})
