import { readdirSync } from 'node:fs'
import { sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listToProvision, listToRemove } from '../features/sandboxes/index.ts'
import { RuntimeUnavailable } from '../stacks/index.ts'
import { testControlPlane } from '../testing/control-plane.ts'

const interruptedBy = (what: string) => ({
  status: 'failed',
  failureReason: `Provisioning was interrupted 3 times: ${what}`,
})

describe('the reconciler', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let tag: string
  beforeAll(async () => {
    test = await testControlPlane()
    tag = (await test.control.row<{ tag: string }>(sql`select tag from installation`))!.tag
  })
  afterAll(() => test.drop())

  const path = (sandboxId: string, rest = '') => `/api/v1/sandboxes/${sandboxId}${rest}`
  const stepOf = async (key: string, sandboxId: string): Promise<string> =>
    (await test.call({ key, path: path(sandboxId) })).json.progress.step
  const nameOf = (sandboxId: string) => `storey_${tag}_${sandboxId}`
  /** What is left of a sandbox: its database, its role, its row and its folder. */
  async function traces(sandboxId: string): Promise<string[]> {
    const name = nameOf(sandboxId)
    const rows = await test.control.rows<{ what: string }>(sql`
      select 'database' as what from pg_database where datname = ${name}
      union all select 'role' from pg_roles where rolname = ${name}
      union all select 'row' from sandboxes where id = ${sandboxId}`)
    const folders = readdirSync(test.folder).filter((folder) => folder === sandboxId)
    return [...rows.map(({ what }) => what), ...folders.map(() => 'folder')].sort()
  }

  it('[SBX-27, SBX-28, SBX-34, SBX-47] reports a failure, leaves only the row, refuses a reset above the quota, and allows a delete', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key, { seed: 'fail' })
    const failed = await test.waitWhileProvisioning(key, sandboxId)
    expect(failed).toMatchObject({ status: 'failed', buildingId: null })
    expect(failed.failureReason).toMatch(/^Seeding failed: .*code 3$/)
    expect(await traces(sandboxId)).toEqual(['row'])
    // Three more sandboxes are allowed, because a failed sandbox is not active.
    for (let i = 0; i < 3; i++) await test.create(key)
    const full = await test.call({ key, path: path(sandboxId, '/reset'), method: 'POST' })
    expect(full.json).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED' })
    expect((await test.call({ key, path: path(sandboxId, '/connection') })).json).toMatchObject({ status: 409 })
    expect((await test.call({ key, path: path(sandboxId), method: 'DELETE' })).status).toBe(204)
    expect(await traces(sandboxId)).toEqual([])
  })

  it('[KUB-18] waits for a cluster that cannot be reached, and does not limit the attempts', async () => {
    const key = await test.newKey()
    const { seed, stop } = test.runtime
    const seeds: string[] = []
    const stops: string[] = []
    /** The cluster does not answer the first three calls for a sandbox. */
    const isReached = (calls: string[], sandboxId: string) => {
      calls.push(sandboxId)
      return calls.filter((id) => id === sandboxId).length > 3
    }
    const unreachable = () => Promise.reject(new RuntimeUnavailable('no answer'))
    test.runtime.stop = (sandboxId) => (isReached(stops, sandboxId) ? stop(sandboxId) : unreachable())
    test.runtime.seed = (config, ...given) =>
      isReached(seeds, config.sandboxId) ? seed(config, ...given) : unreachable()
    try {
      const { sandboxId } = await test.create(key)
      expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'ready' })
      expect(seeds.filter((id) => id === sandboxId)).toHaveLength(4)
    } finally {
      Object.assign(test.runtime, { seed, stop })
    }
  })

  it('[SBX-62] lets organizations take turns when sandboxes wait to be created or removed', async () => {
    const many = await test.newKey()
    const other = await test.newKey()
    const own = [await test.create(many), await test.create(many), await test.create(many)].map((one) => one.sandboxId)
    const { sandboxId: others } = await test.create(other)
    for (const id of own) await test.waitWhileProvisioning(many, id)
    await test.waitWhileProvisioning(other, others)
    await test.control.transaction(async (tx) => {
      const ids = [...own, others]
      for (const [i, id] of ids.entries())
        await tx.run(sql`update sandboxes set status = 'provisioning', requested_at = ${new Date(i)} where id = ${id}`)
      const work = (await listToProvision(tx, { ids: [], locks: [] }, 'small', 100))
        .map(({ id }) => id)
        .filter((id) => ids.includes(id))
      expect(work).toEqual([own[0], others, own[1], own[2]])
      for (const [i, id] of ids.entries())
        await tx.run(sql`update sandboxes set status = 'ready', removing_at = ${new Date(i)} where id = ${id}`)
      const nobody = { ids: [], locks: [], present: ['control'] }
      expect((await listToRemove(tx, nobody, 100)).filter((id) => ids.includes(id))).toEqual([
        own[0],
        others,
        own[1],
        own[2],
      ])
      expect(await listToRemove(tx, { ...nobody, present: [] }, 100)).toEqual([])
      const [row] = await tx.rows<{ hash: number }>(sql`select hashtext(${own[0]!}) as hash`)
      expect(await listToRemove(tx, { ids: [others], locks: [row!.hash], present: ['control'] }, 1)).toEqual([own[1]])
      // Undoes the change above, so that the reconciler does none of this work.
      await tx.run(sql`update sandboxes set removing_at = null where id = any(${ids})`)
    })
  })

  it('[SBX-62] creates a sandbox while sandboxes of another organization take long', async () => {
    const many = await test.newKey()
    const other = await test.newKey()
    const hanging = [await test.create(many, { seed: 'hang' }), await test.create(many, { seed: 'hang' })]
    try {
      // Both were requested at the same time, so either of them can begin first.
      const steps = () => Promise.all(hanging.map(({ sandboxId }) => stepOf(many, sandboxId)))
      await expect.poll(async () => (await steps()).sort()).toEqual(['Half way', 'Waiting'])
      const { sandboxId } = await test.create(other)
      expect(await test.waitWhileProvisioning(other, sandboxId)).toMatchObject({ status: 'ready' })
    } finally {
      for (const one of hanging) await test.call({ key: many, path: path(one.sandboxId), method: 'DELETE' })
    }
  })

  it('[SBX-47] creates a failed sandbox again on reset', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key, { seed: 'fail' })
    await test.waitWhileProvisioning(key, sandboxId)
    await test.control.run(
      sql`update sandboxes set building = jsonb_set(building, '{seed}', '"good"') where id = ${sandboxId}`,
    )
    expect((await test.call({ key, path: path(sandboxId, '/reset'), method: 'POST' })).status).toBe(202)
    const record = await test.waitWhileProvisioning(key, sandboxId)
    expect(record.status).toBe('ready')
    expect(record).not.toHaveProperty('failureReason')
  })

  it('[SBX-48, SBX-49] deletes a sandbox that is being created, without waiting for the end of its creation', async () => {
    const keys = [await test.newKey(), await test.newKey()]
    const created = []
    for (const key of keys) created.push({ key, ...(await test.create(key, { seed: 'hang' })) })
    for (const { key, sandboxId } of created) await expect.poll(() => stepOf(key, sandboxId)).toBe('Half way')
    created.unshift({ key: keys[0]!, ...(await test.create(keys[0]!)) })
    for (const { key, sandboxId } of created) {
      expect((await test.call({ key, path: path(sandboxId), method: 'DELETE' })).status).toBe(204)
      expect(await traces(sandboxId)).toEqual([])
    }
  })

  it('[SBX-51] continues what a stop interrupted, and gives up after three crashes', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key, { seed: 'hang' })
    const attempts = async () =>
      (await test.control.row<{ attempts: number }>(sql`select attempts from sandboxes where id = ${sandboxId}`))!
        .attempts
    await expect.poll(attempts).toBe(1)
    await test.restart()
    await expect.poll(attempts).toBe(1)
    await test.stop()
    await test.control.run(sql`update sandboxes set attempts = 3 where id = ${sandboxId}`)
    await test.start()
    const record = await test.waitWhileProvisioning(key, sandboxId)
    expect(record).toMatchObject({ status: 'failed', failureReason: 'Provisioning was interrupted 3 times' })
    expect(await traces(sandboxId)).toEqual(['row'])
  })

  describe('work whose lock is lost because its database session ends', () => {
    const session = sql`select pid from pg_locks where locktype = 'advisory' and classid = 7305021 and granted
      and database = (select oid from pg_database where datname = current_database())`
    const holder = async () => (await test.control.row<{ pid: number }>(session))?.pid
    const endSession = async () => void (await test.control.run(sql`select pg_terminate_backend(${await holder()})`))

    it('[PLN-11] is aborted, and begins again under a new lock', async () => {
      const key = await test.newKey()
      const { sandboxId } = await test.create(key, { seed: 'hang' })
      await expect.poll(() => stepOf(key, sandboxId)).toBe('Half way')
      const before = await holder()
      await endSession()
      await expect.poll(holder, { timeout: 10_000 }).not.toBe(before)
      await expect.poll(() => stepOf(key, sandboxId), { timeout: 10_000 }).toBe('Half way')
      expect((await test.call({ key, path: path(sandboxId), method: 'DELETE' })).status).toBe(204)
    })

    it('[PLN-11] does not make the sandbox ready: that is left to the next holder of the lock', async () => {
      const key = await test.newKey()
      const lines: string[] = []
      await test.stop()
      await test.start({
        log: Object.create(silentLog, { warn: { value: (_: object, text: string) => void lines.push(text) } }),
      })
      const { seed } = test.runtime
      test.runtime.seed = async (...given) => {
        const result = await seed(...given)
        await endSession()
        return result
      }
      const { sandboxId } = await test.create(key)
      try {
        expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'ready' })
        expect(lines).toContain('sandbox database already complete, keeping it')
        expect((await test.call({ key, path: path(sandboxId), method: 'DELETE' })).status).toBe(204)
      } finally {
        test.runtime.seed = seed
      }
    })
  })

  it.each([
    ['the database is unavailable once', 'unavailable once', { status: 'ready' }],
    ['the database stays unavailable', 'unavailable', interruptedBy('the database was unavailable or full')],
    ['a signal ends the seeding once', 'killed once', { status: 'ready' }],
    ['a signal ends every seeding', 'killed', interruptedBy('its process was ended or could not be started')],
  ])('[SBX-51] makes at most three attempts to create a sandbox if %s', async (_, seed, expected) => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key, { seed })
    expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject(expected)
  })

  it('[SBX-51] keeps a complete building although the last attempt to create it was interrupted', async () => {
    const key = await test.newKey()
    await test.control.run(sql`alter table sandboxes alter column attempts set default 2`)
    await test.control.run(sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no space left' using errcode = '53100'; end $$`)
    await test.control.run(sql`create trigger refuse before update on sandboxes for each row
      when (new.status = 'ready') execute function refuse()`)
    const { sandboxId } = await test.create(key, { seed: 'late' })
    const attempts = sql`select attempts from sandboxes where id = ${sandboxId}`
    await expect.poll(async () => (await test.control.row<{ attempts: number }>(attempts))!.attempts).toBeGreaterThan(3)
    await test.control.run(sql`drop function refuse cascade`)
    await test.control.run(sql`alter table sandboxes alter column attempts set default 0`)
    expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({
      status: 'ready',
      fingerprint: 'sha256:late',
    })
    expect((await test.call({ key, path: path(sandboxId), method: 'DELETE' })).status).toBe(204)
  })

  it('[SBX-56] keeps a complete building when the row comes from an older backup', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key, { seed: 'whole' })
    await test.waitWhileProvisioning(key, sandboxId)
    const databaseId = async () => {
      const name = nameOf(sandboxId)
      return (await test.control.row<{ oid: number }>(sql`select oid::int from pg_database where datname = ${name}`))!
        .oid
    }
    const before = await databaseId()
    await test.stop()
    await test.control.run(
      sql`update sandboxes set status = 'provisioning', building_id = null, attempts = 3 where id = ${sandboxId}`,
    )
    // With this constraint, the service cannot mark the restored row as ready yet.
    await test.control.run(sql`alter table sandboxes add constraint away check (status <> 'ready') not valid`)
    const refusals: unknown[] = []
    const log = Object.create(silentLog, { error: { value: (fields: object) => void refusals.push(fields) } })
    await test.start({ log })
    const attempts = sql`select attempts from sandboxes where id = ${sandboxId}`
    await expect.poll(async () => (await test.control.row<{ attempts: number }>(attempts))!.attempts).toBeGreaterThan(5)
    expect(refusals).toHaveLength(1)
    await test.control.run(sql`alter table sandboxes drop constraint away`)
    expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({
      status: 'ready',
      fingerprint: 'sha256:whole',
    })
    expect(await databaseId()).toBe(before)
    expect((await test.call({ key, path: path(sandboxId, '/reset'), method: 'POST' })).status).toBe(202)
    await test.waitWhileProvisioning(key, sandboxId)
    expect(await databaseId()).not.toBe(before)
  })

  it('waits for a removal by another process only until a time limit', async () => {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    await test.control.session(async (other) => {
      await other.run(sql`select pg_advisory_lock(7305021, hashtext(${sandboxId}))`)
      await test.control.run(sql`update sandboxes set removing_at = now() where id = ${sandboxId}`)
      expect(await test.plane().reconciler.untilRemoved(sandboxId, 700)).toBe(false)
      await other.run(sql`select pg_advisory_unlock(7305021, hashtext(${sandboxId}))`)
    })
    expect(await test.plane().reconciler.untilRemoved(sandboxId, 5_000)).toBe(true)
  })

  it('[SBX-68] continues with other removals when some fail again and again', async () => {
    const key = await test.newKey()
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      const { sandboxId } = await test.create(key)
      await test.waitWhileProvisioning(key, sandboxId)
      ids.push(sandboxId)
    }
    const [last, ...failing] = ids.toReversed()
    const { removeFiles } = test.runtime
    test.runtime.removeFiles = (id) =>
      failing.includes(id) ? Promise.reject(new Error('the disk is read-only')) : removeFiles(id)
    try {
      for (const [i, id] of [...failing, last!].entries())
        await test.control.run(sql`update sandboxes set removing_at = ${new Date(i)} where id = ${id}`)
      await expect.poll(() => traces(last!)).toEqual([])
    } finally {
      test.runtime.removeFiles = removeFiles
    }
    for (const id of failing) await expect.poll(() => traces(id), { timeout: 10_000 }).toEqual([])
  })
})
