import { identifier, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dropLeftover, listLeftovers, listMissing, migrationsDue } from '../operator.ts'
import { testControlPlane } from '../testing/control-plane.ts'
import { findLostDatabase } from './missing-database.ts'

/** The state after a restore of a control database that is older than the removal of a sandbox. */
describe('a sandbox whose database is missing', () => {
  const logged: { msg: string; sandboxId: string }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let tag: string
  beforeAll(async () => {
    test = await testControlPlane({ tickMs: 3_600_000 }, log)
    tag = (await test.control.row<{ tag: string }>(sql`select tag from installation`))!.tag
  })
  afterAll(() => test.drop())

  const sweep = () => test.plane().reconciler.sweep()
  const linesOf = (id: string) => logged.filter(({ sandboxId }) => sandboxId === id).map(({ msg }) => msg)
  async function sandboxWithout(lost: { role: boolean }) {
    const key = await test.newKey()
    const { sandboxId, slug } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    const name = `storey_${tag}_${sandboxId}`
    await test.control.run(sql`alter database ${identifier(name)} rename to ${identifier(`kept_${sandboxId}`)}`)
    if (lost.role)
      await test.control.run(sql`alter role ${identifier(name)} rename to ${identifier(`kept_${sandboxId}`)}`)
    const path = `/api/v1/sandboxes/${sandboxId}`
    const record = async () => (await test.call({ key, path })).json
    const ask = () => test.call({ host: `${slug}.localhost`, path: '/' })
    const restoreDatabase = () =>
      test.control.run(sql`alter database ${identifier(`kept_${sandboxId}`)} rename to ${identifier(name)}`)
    return { key, path, sandboxId, slug, record, ask, restoreDatabase }
  }

  it('[SBX-59] fails at its first wake with a reason and advice, and is created again by a reset', async () => {
    const { key, path, sandboxId, slug, record, ask } = await sandboxWithout({ role: true })
    for (let i = 0; i < 3; i++) {
      const answer = await ask()
      expect(answer).toMatchObject({ status: 503, json: { code: 'NOT_READY' } })
      expect(answer.json.detail).toContain('reset or delete the sandbox')
    }
    expect(await record()).toMatchObject({ status: 'failed', failureReason: expect.stringContaining('database') })
    expect(linesOf(sandboxId)).toEqual(['sandbox database missing, reset or delete the sandbox'])
    expect(await listMissing(test.control)).toContainEqual({ id: sandboxId, slug })
    const migrateDeps = { control: test.control, servers: await test.servers(), migrations: [], log: silentLog }
    const problem = expect.stringContaining('database is missing')
    expect(await migrationsDue(migrateDeps)).toContainEqual({ id: sandboxId, slug, from: null, to: 0, problem })
    expect((await test.call({ key, path: `${path}/reset`, method: 'POST' })).status).toBe(202)
    await test.waitWhileProvisioning(key, sandboxId)
    expect((await ask()).status).toBe(200)
    expect(await listMissing(test.control)).toEqual([])
  })

  it('[SBX-59] fails at a sweep, keeps its files, and is ready when its database is restored', async () => {
    const { sandboxId, record, ask, restoreDatabase } = await sandboxWithout({ role: false })
    await sweep()
    await sweep()
    expect(await record()).toMatchObject({ status: 'failed' })
    expect(linesOf(sandboxId).filter((msg) => msg.includes('database missing'))).toHaveLength(1)
    expect((await listLeftovers(test.control, await test.servers(), test.folder)).map(({ id }) => id)).not.toContain(
      sandboxId,
    )
    await expect(dropLeftover(test.control, await test.servers(), test.folder, sandboxId)).rejects.toThrow(
      'No such leftover',
    )
    test.clock.advance(15 * 86_400_000)
    await sweep()
    expect(linesOf(sandboxId).filter((msg) => /quarantined|dropped/.test(msg))).toEqual([])
    await restoreDatabase()
    await sweep()
    expect(await record()).toMatchObject({ status: 'ready' })
    expect(await record()).not.toHaveProperty('failureReason')
    expect((await ask()).status).toBe(200)
  })

  it('[SBX-59] does not fail while a server on which the database may be does not answer', async () => {
    const { sandboxId, record, restoreDatabase } = await sandboxWithout({ role: false })
    const servers = await test.servers()
    const down = { id: 'srv_down', address: 'localhost:1', isUp: false, takesNew: true }
    const deps = { control: test.control, log: silentLog, onChange: () => undefined }
    const partly = { ...servers, list: () => [...servers.list(), down] }
    expect(await findLostDatabase({ ...deps, servers: partly }, sandboxId)).toBe('uncertain')
    expect(await record()).toMatchObject({ status: 'ready' })
    const other = { ...servers, verify: async () => false }
    expect(await findLostDatabase({ ...deps, servers: other }, sandboxId)).toBe('uncertain')
    expect(await record()).toMatchObject({ status: 'ready' })
    expect(await findLostDatabase({ ...deps, servers }, sandboxId)).toBe('missing')
    await restoreDatabase()
    await servers.close()
  })

  it('[SBX-59] fails in the same way when a drop of its database was interrupted', async () => {
    const { key, path, sandboxId, record, ask, restoreDatabase } = await sandboxWithout({ role: false })
    await restoreDatabase()
    await test.control.run(
      sql`update pg_database set datconnlimit = -2 where datname = ${`storey_${tag}_${sandboxId}`}`,
    )
    for (let i = 0; i < 2; i++) await sweep()
    expect(await record()).toMatchObject({ status: 'failed', failureReason: expect.stringContaining('database') })
    expect((await ask()).json.detail).toContain('reset or delete the sandbox')
    expect((await test.call({ key, path: `${path}/reset`, method: 'POST' })).status).toBe(202)
    await test.waitWhileProvisioning(key, sandboxId)
    expect((await ask()).status).toBe(200)
  })

  it('[SBX-59] gets a new role when its database is restored without the role', async () => {
    const { sandboxId, record, ask, restoreDatabase } = await sandboxWithout({ role: true })
    await sweep()
    expect(await record()).toMatchObject({ status: 'failed' })
    await restoreDatabase()
    await sweep()
    expect(await record()).toMatchObject({ status: 'ready' })
    expect((await ask()).status).toBe(200)
    const owner = await test.control.row<{ owner: string }>(sql`
      select pg_get_userbyid(datdba) as owner from pg_database where datname = ${`storey_${tag}_${sandboxId}`}`)
    expect(owner).toEqual({ owner: `storey_${tag}_${sandboxId}` })
    await test.control.run(sql`drop role ${identifier(`kept_${sandboxId}`)}`)
  })
})
