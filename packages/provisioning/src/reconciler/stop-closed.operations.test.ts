import { sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { GRACE_MS } from '../testing/control-plane.ts'
import { testControlPlanes } from '../testing/control-planes.ts'
import { createStopClosed } from './stop-closed.ts'

type Test = Awaited<ReturnType<typeof testControlPlanes>>

const expiredNow = (test: Test, id: string) =>
  test.db.run(sql`update sandboxes set expired_at = ${test.clock.now()}, expires_at = ${test.clock.now()},
    due_at = null, running_since = null where id = ${id}`)
const suspendedNow = (test: Test, id: string) =>
  test.db.run(sql`update sandboxes set suspended_at = now() where id = ${id}`)

describe('the stack of an expired or suspended sandbox', () => {
  let test: Test
  const ids: string[] = []
  beforeAll(async () => {
    test = await testControlPlanes({ expiryGraceMs: GRACE_MS })
    const plane = await test.start()
    const key = await test.newKey(plane.plane)
    for (const name of ['Expired', 'Suspended', 'Open']) {
      const { json } = await plane.call({ key, path: '/api/v1/sandboxes', body: { name } })
      const read = () => plane.call({ key, path: `/api/v1/sandboxes/${json.sandboxId}` })
      await vi.waitFor(async () => expect((await read()).json.status).toBe('ready'), { timeout: 20_000 })
      expect((await plane.call({ host: `${json.slug}.localhost`, path: '/' })).status).toBe(200)
      ids.push(json.sandboxId)
    }
    await plane.close()
  }, 60_000)
  afterAll(() => test.drop())

  it('[STK-39] is stopped by the next leader if the leader ended before it could stop the stack', async () => {
    const [expired, suspended, open] = ids as [string, string, string]
    await expiredNow(test, expired)
    await suspendedNow(test, suspended)
    const { runtime, close } = await test.start()
    expect(ids.map((id) => runtime.status(id))).toEqual(['running', 'running', 'running'])
    await expect.poll(() => runtime.status(expired), { timeout: 20_000 }).toBe('stopped')
    await expect.poll(() => runtime.status(suspended), { timeout: 20_000 }).toBe('stopped')
    expect(runtime.status(open)).toBe('running')
    await close()
  })

  describe('that still runs', () => {
    const loops: { stop(): Promise<void> }[] = []
    afterEach(async () => {
      for (const loop of loops.splice(0)) await loop.stop()
    })

    /** The loop for stacks that all seem to run, and the ids of the stacks that it tried to stop. */
    function open(isLeader: boolean, stop: (id: string) => Promise<void>) {
      const tried: string[] = []
      const loop = createStopClosed({
        ...{ control: test.db, log: silentLog, everyMs: 20, isLeader: () => isLeader },
        runtime: { listRunning: async () => ids },
        async stopStack(id) {
          tried.push(id)
          await stop(id)
        },
      })
      loops.push(loop)
      loop.start()
      return { loop, tried }
    }

    it('[STK-39] is stopped by a later attempt if one fails, and other such stacks are stopped anyway', async () => {
      let isDown = true
      const stopped: string[] = []
      const { tried } = open(true, async (id) => {
        if (isDown && id === ids[0]) throw new Error('the cluster does not answer')
        stopped.push(id)
      })
      await expect.poll(() => stopped).toContain(ids[1])
      isDown = false
      await expect.poll(() => stopped, { timeout: 5_000 }).toContain(ids[0])
      expect(tried).not.toContain(ids[2])
    })

    it('[STK-39] is stopped by the leader only', async () => {
      const { loop, tried } = open(false, async () => undefined)
      await loop.runNow()
      expect(tried).toEqual([])
    })

    it('does not delay the end of the service if stopping the stack hangs', async () => {
      const { loop, tried } = open(true, () => new Promise(() => undefined))
      await expect.poll(() => tried.length).toBeGreaterThan(0)
      await loop.stop()
    })
  })
})
