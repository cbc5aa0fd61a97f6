import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { identifier, sql } from '@storey/kit/database'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dropLeftover, listLeftovers } from '../operator.ts'
import { testControlPlane } from '../testing/control-plane.ts'

const DAY_MS = 86_400_000

describe('what no sandbox owns', () => {
  const said: { msg: string; sandboxId: string }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(JSON.parse(line)) })
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let tag: string
  beforeAll(async () => {
    // A tick of an hour: the sweeps are those of the test.
    test = await testControlPlane({ tickMs: 3_600_000 }, log)
    tag = (await test.control.row<{ tag: string }>(sql`select tag from installation`))!.tag
  })
  afterAll(() => test.drop())

  const nameOf = (sandboxId: string) => `storey_${tag}_${sandboxId}`
  async function makeTraces(id: string): Promise<void> {
    await test.control.run(sql`create role ${identifier(nameOf(id))}`)
    await test.control.run(sql`create database ${identifier(nameOf(id))}`)
    mkdirSync(join(test.folder, id), { recursive: true })
  }
  async function traces(id: string): Promise<string[]> {
    const rows = await test.control.rows<{ what: string }>(sql`
      select 'database' as what from pg_database where datname = ${nameOf(id)}
      union all select 'role' from pg_roles where rolname = ${nameOf(id)}`)
    const folders = readdirSync(test.folder).filter((folder) => folder === id)
    return [...rows.map(({ what }) => what), ...folders.map(() => 'folder')].sort()
  }
  const all = ['database', 'folder', 'role']
  const sweep = () => test.plane().reconciler.sweep()
  const quarantined = () => said.filter(({ msg }) => /quarantined/.test(msg)).map(({ sandboxId }) => sandboxId)
  async function newSandbox() {
    const key = await test.newKey()
    const { sandboxId } = await test.create(key)
    await test.settled(key, sandboxId)
    return { key, sandboxId }
  }

  it('[SBX-51] is dropped at once when this control database removed its sandbox, and nothing else is', async () => {
    const { sandboxId: kept } = await newSandbox()
    const { key, sandboxId: removed } = await newSandbox()
    await test.call({ key, path: `/api/v1/sandboxes/${removed}`, method: 'DELETE' })
    await makeTraces(removed)
    await test.control.run(sql`create database ${identifier('storey_othert_sbx_stranger')}`)
    expect(await sweep()).toMatchObject([{ id: removed, kinds: ['database', 'role', 'folder'], isProven: true }])
    expect(await traces(removed)).toEqual([])
    expect(await traces(kept)).toEqual(all)
    expect(await sweep()).toEqual([])
    const stranger = await test.control.run(sql`select 1 from pg_database where datname = 'storey_othert_sbx_stranger'`)
    expect(stranger).toBe(1)
    await test.control.run(sql`drop database ${identifier('storey_othert_sbx_stranger')}`)
  })

  it('[SBX-57] is kept for two weeks when nothing explains it, and told once', async () => {
    const { sandboxId: newer } = await newSandbox()
    // As after an older control database was restored.
    await test.control.run(sql`delete from sandboxes where id = ${newer}`)
    const firstSeenAt = test.clock.now()
    for (let i = 0; i < 3; i++) await sweep()
    expect(quarantined()).toEqual([newer])
    expect(await listLeftovers(test.control, test.folder)).toMatchObject([
      {
        id: newer,
        kinds: ['database', 'role', 'folder'],
        isProven: false,
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

  it('[SBX-57] is kept while a clock stands ahead', async () => {
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

  it('[SBX-57] starts its two weeks again when it was away', async () => {
    await makeTraces('sbx_again')
    await sweep()
    test.clock.advance(10 * DAY_MS)
    await dropLeftover(test.control, test.folder, 'sbx_again')
    await sweep()
    await makeTraces('sbx_again')
    test.clock.advance(5 * DAY_MS)
    await sweep()
    expect(await traces('sbx_again')).toEqual(all)
  })

  it('[HST-28] is dropped on command, which refuses what a sandbox owns', async () => {
    const { sandboxId } = await newSandbox()
    await makeTraces('sbx_unwanted')
    await dropLeftover(test.control, test.folder, 'sbx_unwanted')
    expect(await traces('sbx_unwanted')).toEqual([])
    await expect(dropLeftover(test.control, test.folder, sandboxId)).rejects.toThrow('No such leftover')
    expect(await traces(sandboxId)).toEqual(all)
  })

  it('[SBX-57] is not taken for the rest of a failure when its building is whole', async () => {
    const { sandboxId } = await newSandbox()
    // As in a backup from before it was reset.
    await test.control.run(sql`update sandboxes set status = 'failed' where id = ${sandboxId}`)
    await sweep()
    expect(await traces(sandboxId)).toEqual(all)
    expect(quarantined()).toContain(sandboxId)
  })
})
