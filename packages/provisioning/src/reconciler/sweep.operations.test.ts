import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { identifier, literal, openDatabase, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installationTag } from '../installation.store.ts'
import { dropLeftover, listLeftovers } from '../operator.ts'
import { createTenants } from '../tenants/index.ts'
import { testControlPlane } from '../testing/control-plane.ts'
import { findLeftovers, type Leftover, withoutGone } from './leftovers.ts'
import { createSweep } from './sweep.ts'

const DAY_MS = 86_400_000

describe('data that no sandbox owns', () => {
  const logged: { msg: string; sandboxId: string }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let tag: string
  beforeAll(async () => {
    // The loop runs every hour, so only the test's sweeps happen.
    test = await testControlPlane({ tickMs: 3_600_000 }, log)
    tag = (await test.control.row<{ tag: string }>(sql`select tag from installation`))!.tag
  })
  afterAll(() => test.drop())

  const nameOf = (sandboxId: string) => `storey_${tag}_${sandboxId}`
  /** Creates what a sandbox of an earlier version has, whose database has no comment. */
  async function makeTraces(id: string): Promise<void> {
    await (await test.servers()).of('control').create(id, test.clock.now())
    await test.control.run(sql`comment on database ${identifier(nameOf(id))} is null`)
    mkdirSync(join(test.folder, id), { recursive: true })
  }
  const describeDatabase = (id: string, metadata: object) =>
    test.control.run(sql`comment on database ${identifier(nameOf(id))} is ${literal(JSON.stringify(metadata))}`)
  async function traces(id: string): Promise<string[]> {
    const rows = await test.control.rows<{ what: string }>(sql`
      select 'database' as what from pg_database where datname = ${nameOf(id)}
      union all select 'role' from pg_roles where rolname = ${nameOf(id)}`)
    const folders = readdirSync(test.folder).filter((folder) => folder === id)
    return [...rows.map(({ what }) => what), ...folders.map(() => 'folder')].sort()
  }
  const all = ['database', 'folder', 'role']
  const sweep = () => test.plane().reconciler.sweep()
  const quarantined = () => logged.filter(({ msg }) => /quarantined/.test(msg)).map(({ sandboxId }) => sandboxId)
  async function newSandbox() {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    return { key, sandboxId }
  }

  it('[SBX-51] is dropped immediately if its sandbox was removed and its database was never completed, and all else is kept', async () => {
    const { sandboxId: kept } = await newSandbox()
    const { key, sandboxId: removed } = await newSandbox()
    await test.call({ key, path: `/api/v1/sandboxes/${removed}`, method: 'DELETE' })
    await makeTraces(removed)
    await describeDatabase(removed, { requestedAt: test.clock.now() })
    await test.control.run(sql`create database ${identifier('storey_othert_sbx_unowned')}`)
    expect(await sweep()).toMatchObject([{ id: removed, kinds: ['database', 'role', 'folder'], isUnneeded: true }])
    expect(await traces(removed)).toEqual([])
    expect(await traces(kept)).toEqual(all)
    expect(await sweep()).toEqual([])
    const unowned = await test.control.run(sql`select 1 from pg_database where datname = 'storey_othert_sbx_unowned'`)
    expect(unowned).toBe(1)
    await test.control.run(sql`drop database ${identifier('storey_othert_sbx_unowned')}`)
  })

  it('[SBX-57] is kept for two weeks if it is a complete database, or may be a backup, although its sandbox was removed', async () => {
    const [complete, backup] = [await newSandbox(), await newSandbox()]
    for (const { key, sandboxId } of [complete, backup]) {
      await test.call({ key, path: `/api/v1/sandboxes/${sandboxId}`, method: 'DELETE' })
      await makeTraces(sandboxId)
    }
    const ids = [complete.sandboxId, backup.sandboxId]
    const result = { siteId: 's', buildingId: 'b', fingerprint: 'f' }
    await describeDatabase(complete.sandboxId, { requestedAt: test.clock.now(), result })
    await sweep()
    for (const id of ids) expect(await traces(id)).toEqual(all)
    expect(quarantined().toSorted()).toEqual(ids.toSorted())
    test.clock.advance(14 * DAY_MS)
    await sweep()
    for (const id of ids) expect(await traces(id)).toEqual([])
    logged.length = 0
  })

  it('[SBX-57] is kept for two weeks, and logged once, if the control database has no record of its sandbox', async () => {
    const { sandboxId: newer } = await newSandbox()
    // The state after an older control database was restored.
    await test.control.run(sql`delete from sandboxes where id = ${newer}`)
    const firstSeenAt = test.clock.now()
    for (let i = 0; i < 3; i++) await sweep()
    expect(quarantined()).toEqual([newer])
    expect(await listLeftovers(test.control, await test.servers(), test.folder)).toMatchObject([
      {
        id: newer,
        kinds: ['database', 'role', 'folder'],
        isUnneeded: false,
        firstSeenAt,
        dropAt: new Date(firstSeenAt.getTime() + 14 * DAY_MS),
        databaseBytes: expect.toSatisfy((bytes: number) => bytes > 1_000_000),
      },
    ])
    test.clock.advance(14 * DAY_MS - 1)
    await sweep()
    expect(await traces(newer)).toEqual(all)
    test.clock.advance(1)
    await sweep()
    expect(await traces(newer)).toEqual([])
  })

  it('[SBX-57] is kept for two weeks again after the restore of an older control database that listed it', async () => {
    const id = 'sbx_inbackup'
    await makeTraces(id)
    await sweep()
    await test.stop()
    const age = sql`interval '15 days'`
    await test.control.run(sql`update leftovers set first_seen_at = first_seen_at - ${age}`)
    const trustedAt = new Date(test.clock.now().getTime() - 15 * DAY_MS)
    await test.control.run(sql`update installation set trusted_at = ${trustedAt}`)
    await test.start()
    const servers = await test.servers()
    const [listed] = (await listLeftovers(test.control, servers, test.folder)).filter((leftover) => leftover.id === id)
    expect(test.clock.now().getTime() - listed!.firstSeenAt!.getTime()).toBeLessThan(DAY_MS)
    await dropLeftover(test.control, servers, test.folder, id)
    await servers.close()
  })

  it('[SBX-51, SBX-57, SBX-69] is found among many sandboxes, which are compared a few at a time', async () => {
    const { sandboxId: kept } = await newSandbox()
    const unowned = ['sbx_0', 'sbx_aa', kept.slice(0, -1), 'sbx_zzzzzzzzzzzzzzzz']
    for (const id of unowned) await makeTraces(id)
    const ids: string[] = [kept]
    for (let i = 0; i < 3; i++) ids.push((await newSandbox()).sandboxId)
    const servers = await test.servers()
    const { control, runtime } = test
    for (const inventorySize of [1, 2, 3, 100]) {
      const found = await findLeftovers({ control, servers, runtime, inventorySize })
      expect(found.map(({ id }) => id)).toEqual(unowned.toSorted())
      expect(found.every(({ kinds }) => kinds.length === 3)).toBe(true)
    }
    expect((await sweep())!.map(({ id }) => id)).toEqual(unowned.toSorted())
    expect((await Promise.all(ids.map(traces))).flat()).toHaveLength(all.length * ids.length)
    for (const id of unowned) await dropLeftover(test.control, servers, test.folder, id)
    expect(await sweep()).toEqual([])
  })

  it('[SBX-51] is not reported for a sandbox that is removed during a sweep', async () => {
    const { sandboxId } = await newSandbox()
    await makeTraces('sbx_folder')
    const gone: Leftover = {
      id: sandboxId,
      serverId: 'control',
      kinds: ['folder'],
      isNeeded: false,
      ofSandbox: null,
      isUnneeded: true,
      firstSeenAt: null,
    }
    const present: Leftover = { ...gone, id: 'sbx_folder', kinds: ['database', 'role', 'folder'] }
    const runtime = { ...test.runtime, listFiles: async () => ['sbx_folder'] }
    expect(await withoutGone({ runtime }, [gone, present])).toEqual([present])
    await dropLeftover(test.control, await test.servers(), test.folder, 'sbx_folder')
  })

  it('[SBX-57] is kept while the clock is ahead, and after the clock is set back', async () => {
    await makeTraces('sbx_patient')
    await sweep()
    const right = test.clock.now()
    test.clock.set(new Date(right.getTime() + 30 * DAY_MS))
    expect(await sweep()).toBeUndefined()
    expect(await traces('sbx_patient')).toEqual(all)
    test.clock.set(right)
    await sweep()
    test.clock.advance(60_000)
    await sweep()
    expect(await traces('sbx_patient')).toEqual(all)
  })

  it('[SBX-57] is kept for two weeks again when it reappears', async () => {
    await makeTraces('sbx_again')
    await sweep()
    test.clock.advance(10 * DAY_MS)
    await dropLeftover(test.control, await test.servers(), test.folder, 'sbx_again')
    await sweep()
    await makeTraces('sbx_again')
    test.clock.advance(5 * DAY_MS)
    await sweep()
    expect(await traces('sbx_again')).toEqual(all)
  })

  it('[HST-28] is dropped by a command that refuses to drop data that a sandbox owns', async () => {
    const { sandboxId } = await newSandbox()
    await makeTraces('sbx_unwanted')
    await dropLeftover(test.control, await test.servers(), test.folder, 'sbx_unwanted')
    expect(await traces('sbx_unwanted')).toEqual([])
    await expect(dropLeftover(test.control, await test.servers(), test.folder, sandboxId)).rejects.toThrow(
      'No such leftover',
    )
    expect(await traces(sandboxId)).toEqual(all)
  })

  it('[SBX-57] is quarantined, not dropped immediately, when the sandbox has failed but its building is complete', async () => {
    const { sandboxId } = await newSandbox()
    // This state arises when the control database is restored from a backup in which the sandbox is `failed`, and the
    // sandbox was reset after the backup.
    await test.control.run(sql`update sandboxes set status = 'failed' where id = ${sandboxId}`)
    await sweep()
    expect(await traces(sandboxId)).toEqual(all)
    expect(quarantined()).toContain(sandboxId)
  })
})

describe('a database that the role of the service does not own', () => {
  it('[SBX-60] does not stop the sweep of other sandboxes, and is logged once when its sweep fails and once when its sweep succeeds again', async () => {
    const logged: { msg: string; sandboxId: string; step?: string }[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
    const test = await testControlPlane({ tickMs: 3_600_000 }, silentLog)
    const url = new URL(test.config.serverUrl)
    url.username = `sweeper_${process.pid}`
    url.password = 'secret'
    const role = identifier(url.username)
    await test.control.run(sql`create role ${role} login createdb createrole password 'secret'`)
    const control = openDatabase({ url: url.href, log: silentLog, applicationName: 'test', maxConnections: 4 })
    try {
      const tag = await installationTag(test.control)
      const key = await test.newKey()
      const ids: string[] = []
      for (let i = 0; i < 3; i++) {
        const { sandboxId } = await test.create(key)
        await test.waitWhileProvisioning(key, sandboxId)
        ids.push(sandboxId)
      }
      const [first, foreign, unowned] = ids.sort() as [string, string, string]
      const nameOf = (id: string) => identifier(`storey_${tag}_${id}`)
      const own = (id: string) => test.control.run(sql`grant ${nameOf(id)} to ${role} with admin option`)
      for (const id of ids) await test.control.run(sql`comment on database ${nameOf(id)} is null`)
      await test.control.run(sql`delete from sandboxes where id = ${unowned}`)
      await own(first)
      const { masterSecret } = test.config
      const migrations = [
        { version: 1, name: 'rooms', text: 'create table rooms (id int primary key)', checksum: 'rooms' },
      ]
      const options = { serverUrl: url.href, masterSecret, installationTag: tag, migrations, log: silentLog }
      const tenants = createTenants({ ...options, admin: control })
      const servers = {
        ...{ of: () => tenants, present: () => [{ id: 'control', tenants }], list: () => [] },
        verify: async () => true,
      }
      const { runtime } = test
      const deps = { control: test.control, servers, runtime, log, stopStack: async () => undefined }
      const sweep = createSweep({ ...deps, onChange: () => undefined })
      const run = () => sweep({ now: test.clock.now(), mayExpire: true, mayRemove: true })
      const lines = () => logged.filter(({ step }) => step).map(({ msg, sandboxId }) => `${sandboxId} ${msg}`)
      for (let i = 0; i < 2; i++) expect(await run()).toMatchObject([{ id: unowned }])
      expect(lines()).toEqual([`${foreign} sweep of a sandbox failed`])
      expect(await tenants.metadataOf(first)).toHaveProperty('result')
      test.clock.advance(15 * DAY_MS)
      for (let i = 0; i < 2; i++) await run()
      expect(lines().slice(1)).toEqual([`${unowned} sweep of a sandbox failed`])
      await own(foreign)
      await own(unowned)
      await run()
      expect(lines().slice(2)).toEqual([
        `${foreign} sweep of a sandbox succeeds again`,
        `${unowned} sweep of a sandbox succeeds again`,
      ])
      expect((await tenants.present()).roles.sort()).toEqual([first, foreign])
    } finally {
      await control.close()
      await test.drop()
    }
  })
})
