import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordChange } from '../features/audit/index.ts'
import { revokeKeyByOperator } from '../features/keys/index.ts'
import { type TestPlane, testControlPlanes } from '../testing/control-planes.ts'

type Test = Awaited<ReturnType<typeof testControlPlanes>>
const DAY_MS = 86_400_000

async function untilTrue(check: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await check()); await sleep(50))
    if (Date.now() > deadline) throw new Error('not in time')
}

describe('two control planes', () => {
  let test: Test
  let one: TestPlane
  let two: TestPlane
  let key: string
  beforeAll(async () => {
    test = await testControlPlanes()
    one = await test.start()
    await untilTrue(async () => (await leader()) !== null)
    two = await test.start()
    key = await test.newKey(one.plane)
  })
  afterAll(() => test.drop())

  const leader = async () =>
    (await test.db.row<{ holder: string | null }>(sql`select lease_holder as holder from control_lease`))!.holder

  async function create(at: TestPlane, body: object = {}) {
    const answer = await at.call({ key, path: '/api/v1/sandboxes', body: { name: 'Shared', ...body } })
    expect(answer.status, answer.text).toBe(202)
    const { sandboxId, slug } = answer.json as { sandboxId: string; slug: string }
    await expect.poll(async () => (await read(at, sandboxId)).json.status, { timeout: 20_000 }).toBe('ready')
    return { sandboxId, slug, host: `${slug}.localhost` }
  }
  const read = (at: TestPlane, id: string) => at.call({ key, path: `/api/v1/sandboxes/${id}` })
  const remove = (at: TestPlane, id: string) => at.call({ key, path: `/api/v1/sandboxes/${id}`, method: 'DELETE' })

  it('[PLN-03] serve the same sandboxes, whichever of the two creates, resets or deletes a sandbox', async () => {
    const { sandboxId, host } = await create(two)
    const answers = await Promise.all([one, two].map((plane) => plane.call({ host, path: '/here' })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    // Both control planes use the same process.
    expect(answers[0]!.json.pid).toBe(answers[1]!.json.pid)
    const reset = await one.call({ key, path: `/api/v1/sandboxes/${sandboxId}/reset`, method: 'POST' })
    expect(reset.status).toBe(202)
    await expect.poll(async () => (await read(two, sandboxId)).json.status, { timeout: 20_000 }).toBe('ready')
    const after = await two.call({ host, path: '/here' })
    expect(after.json.pid).not.toBe(answers[0]!.json.pid)
    expect((await remove(two, sandboxId)).status).toBe(204)
    expect((await one.call({ host, path: '/here' })).status).toBe(404)
    expect(one.runtime.status(sandboxId)).toBe('stopped')
  })

  it('[PLN-03] start a stack once, however many requests arrive at both', async () => {
    const { sandboxId, host } = await create(one)
    await one.runtime.stop(sandboxId)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? one : two).call({ host, path: '/' })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(new Set(answers.map(({ json }) => json.pid)).size).toBe(1)
    await remove(one, sandboxId)
  })

  it('[PLN-04] refuse a revoked key at once', async () => {
    const revoked = await test.newKey(one.plane)
    for (const plane of [one, two])
      expect((await plane.call({ key: revoked, path: '/api/v1/sandboxes' })).status).toBe(200)
    const deps = { control: test.db, clock: test.clock, recordChange }
    await revokeKeyByOperator(deps, revoked, async () => undefined)
    for (const plane of [one, two])
      expect((await plane.call({ key: revoked, path: '/api/v1/sandboxes' })).status).toBe(401)
  })

  it('[PLN-05] see a suspension by the operator within a second', async () => {
    const { sandboxId, host } = await create(one)
    for (const plane of [one, two]) expect((await plane.call({ host, path: '/' })).status).toBe(200)
    await test.db.run(
      sql`update sandboxes set suspended_at = now(), suspension_reason = 'late' where id = ${sandboxId}`,
    )
    for (const plane of [one, two])
      await expect.poll(async () => (await plane.call({ host, path: '/' })).status).toBe(403)
    await expect.poll(() => one.runtime.status(sandboxId)).toBe('stopped')
  })

  it('[PLN-06] expire sandboxes, even after the leader has stopped and the other control plane leads', async () => {
    const { sandboxId, host } = await create(one, { ttlDays: 1 })
    expect((await two.call({ host, path: '/' })).status).toBe(200)
    const before = await leader()
    await one.close()
    await expect.poll(leader).not.toBe(before)
    // The stack keeps running.
    expect((await two.call({ host, path: '/' })).status).toBe(200)
    test.clock.advance(DAY_MS + 1)
    await expect.poll(async () => (await two.call({ host, path: '/' })).status, { timeout: 20_000 }).toBe(404)
    await expect.poll(() => two.runtime.status(sandboxId), { timeout: 20_000 }).toBe('stopped')
    one = await test.start()
  })

  it('[PLN-03] share the creation of sandboxes', async () => {
    key = await test.newKey(two.plane)
    const created = await Promise.all([1, 2, 3, 4].map((i) => create(i % 2 === 0 ? one : two)))
    await sleep(300)
    const rows = await test.db.rows<{ attempts: number }>(
      sql`select attempts from sandboxes where id = any(${created.map(({ sandboxId }) => sandboxId)})`,
    )
    // Each sandbox was created by one of the control planes, at the first attempt.
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1])
  })
})

describe('the stack that two control planes use', () => {
  let test: Test
  let one: TestPlane
  let two: TestPlane
  let host: string
  let sandboxId: string
  beforeAll(async () => {
    test = await testControlPlanes({ stackIdleMs: 2_000 })
    one = await test.start()
    await untilTrue(
      async () => (await test.db.run(sql`select 1 from control_lease where lease_holder is not null`)) === 1,
    )
    two = await test.start()
    const key = await test.newKey(one.plane)
    const { json } = await one.call({ key, path: '/api/v1/sandboxes', body: { name: 'Idle' } })
    sandboxId = json.sandboxId
    host = `${json.slug}.localhost`
    const status = async () => (await one.call({ key, path: `/api/v1/sandboxes/${sandboxId}` })).json.status
    await untilTrue(async () => (await status()) === 'ready')
  })
  afterAll(() => test.drop())

  it('[PLN-05] runs while the control plane that does not lead uses it, and is stopped when no control plane uses it', async () => {
    const { json } = await two.call({ host, path: '/' })
    for (const until = Date.now() + 6_000; Date.now() < until; await sleep(300)) {
      const answer = await two.call({ host, path: '/' })
      expect([answer.status, answer.json.pid]).toEqual([200, json.pid])
    }
    await expect.poll(() => one.runtime.status(sandboxId), { timeout: 20_000 }).toBe('stopped')
    const woken = await two.call({ host, path: '/' })
    expect(woken.status).toBe(200)
    expect(woken.json.pid).not.toBe(json.pid)
  })

  it('[PLN-05] counts as used while the control plane that does not lead has an open live connection to it', async () => {
    const socket = connect(two.port, '127.0.0.1')
    socket.write(
      `GET /socket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    await sleep(5_000)
    expect(one.runtime.status(sandboxId)).toBe('running')
    socket.destroy()
    await expect.poll(() => one.runtime.status(sandboxId), { timeout: 20_000 }).toBe('stopped')
  })
})
