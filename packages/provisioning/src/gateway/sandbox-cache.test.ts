import { type Database, sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../testing/control-plane.ts'
import { createSandboxCache } from './sandbox-cache.ts'

describe('host names', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let sandbox: { sandboxId: string; slug: string }
  beforeAll(async () => {
    test = await testControlPlane()
    const key = await test.newKey()
    sandbox = await test.create(key)
    await test.waitWhileProvisioning(key, sandbox.sandboxId)
  })
  afterAll(() => test.drop())

  /** A cache, with the number of its queries to the control database, and the maximum number of concurrent queries. */
  function watched(whenAsked: () => Promise<void> = async () => undefined) {
    const seen = { queries: 0, atATime: 0 }
    let underWay = 0
    const control: Database = {
      ...test.control,
      async rows(query) {
        seen.queries++
        seen.atATime = Math.max(seen.atATime, ++underWay)
        const rows = await test.control.rows(query)
        await whenAsked()
        underWay--
        // biome-ignore lint/suspicious/noExplicitAny: the rows are passed on as they are
        return rows as any
      },
    }
    return { sandboxCache: createSandboxCache({ control }), seen }
  }

  it('[HST-25] that are unknown cause at most one database query at a time', async () => {
    const { sandboxCache, seen } = watched()
    const names = Array.from({ length: 2_000 }, (_, i) => `made-up-${i}`)
    const [own, ...others] = await Promise.all([sandbox.slug, ...names].map((slug) => sandboxCache.find(slug)))
    expect(own?.id).toBe(sandbox.sandboxId)
    expect(others.every((row) => row === undefined)).toBe(true)
    expect(seen.atATime).toBe(1)
    expect(seen.queries).toBeLessThanOrEqual(6)
  })

  it('are looked up once for concurrent requests, and cached for a moment', async () => {
    const { sandboxCache, seen } = watched()
    const rows = await Promise.all(Array.from({ length: 50 }, () => sandboxCache.find(sandbox.slug)))
    expect(new Set(rows.map((row) => row?.id))).toEqual(new Set([sandbox.sandboxId]))
    await sandboxCache.find(sandbox.slug)
    expect(seen.queries).toBe(1)
  })

  it('are not cached in an old state if their sandbox changes during the lookup', async () => {
    const name = () => test.control.row<{ name: string }>(sql`select name from sandboxes where slug = ${sandbox.slug}`)
    const { name: before } = (await name())!
    let isFirst = true
    const { sandboxCache } = watched(async () => {
      if (!isFirst) return
      isFirst = false
      await test.control.run(sql`update sandboxes set name = 'Another' where slug = ${sandbox.slug}`)
      sandboxCache.invalidate(sandbox.slug)
    })
    expect((await sandboxCache.find(sandbox.slug))?.name).toBe(before)
    expect((await sandboxCache.find(sandbox.slug))?.name).toBe('Another')
  })
})
