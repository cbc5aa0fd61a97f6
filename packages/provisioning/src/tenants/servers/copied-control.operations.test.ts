import { identifier, literal, openDatabase, openDedicatedClient, sql } from '@storey/kit/database'
import type { EmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { type Log, silentLog } from '@storey/kit/log'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  adoptDatabase,
  claimServers,
  deleteByOperator,
  dropLeftover,
  listOperations,
  migrateAll,
  moveSandbox,
  openServers,
} from '../../operator.ts'
import { testControlPlane } from '../../testing/control-plane.ts'
import { startServers } from '../../testing/postgres-servers.ts'
import { createLineage, type Lineage } from './lineage.ts'
import { createServerGuard, type ServerGuard } from './server-guard.ts'

type TestControlPlane = Awaited<ReturnType<typeof testControlPlane>>

const NOT_OURS =
  'database server used by another control database more recently than by this one, nothing is created or dropped there'
const PATIENT = { timeout: 60_000, interval: 200 }

const onServer = async <T>(
  url: string,
  work: (database: ReturnType<typeof openDatabase>) => Promise<T>,
): Promise<T> => {
  const database = openDatabase({ url, log: silentLog, applicationName: 'test', maxConnections: 1 })
  return await work(database).finally(() => database.close())
}

/** Copies the control database of a service that is stopped. */
async function copyControl({ config }: TestControlPlane): Promise<string> {
  const url = new URL(config.serverUrl)
  const name = url.pathname.slice(1)
  const admin = new URL('/postgres', url)
  await onServer(admin.href, async (database) => {
    await database.run(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`)
    await database.run(sql`create database ${identifier(`${name}_copy`)} template ${identifier(name)}`)
  })
  return new URL(`/${name}_copy`, url).href
}

describe('a copy of the control database', () => {
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) })
  let servers: EmbeddedPostgres[]
  let original: TestControlPlane
  let copy: TestControlPlane
  let key: string
  let young: { sandboxId: string; slug: string }
  const old: { sandboxId: string; slug: string }[] = []

  const newSandbox = async () => {
    const created = await original.create(key)
    expect(await original.waitWhileProvisioning(key, created.sandboxId)).toMatchObject({ status: 'ready' })
    return created
  }
  const databases = async () => {
    const rows = await Promise.all(
      servers.map(({ url }) =>
        onServer(url, (database) => database.rows<{ name: string }>(sql`select datname as name from pg_database`)),
      ),
    )
    return rows.flat().map(({ name }) => name.replace(/.*_sbx_/, 'sbx_'))
  }
  const ask = async (at: TestControlPlane, slug: string) =>
    (await at.call({ host: `${slug}.localhost`, path: '/' })).status
  const ofOthers = async (at: TestControlPlane) =>
    ((await at.call({ path: '/readyz' })).json.databaseServersOfOthers ?? []).length
  const generations = (at: TestControlPlane) =>
    at.control.rows<{ server: string; generation: string }>(
      sql`select server_id as server, generation from server_generations order by id`,
    )
  /** The servers, as a command opens them while the service of this control database runs. */
  const commandServers = ({ control, config }: TestControlPlane) =>
    openServers({
      ...{ control, serverUrl: config.serverUrl, masterSecret: config.masterSecret, migrations: [], log: silentLog },
      entries: config.tenantServers ?? [],
      isServiceRunning: async () => true,
    })
  async function asCommand<T>(
    at: TestControlPlane,
    work: (open: Awaited<ReturnType<typeof openServers>>) => Promise<T>,
  ) {
    const open = await commandServers(at)
    return await work(open).finally(() => open.close())
  }

  beforeAll(async () => {
    servers = await startServers(2)
    const tenantServers = servers.map(({ url }) => new URL(url))
    original = await testControlPlane({ tenantServers, maxActiveSandboxes: 20 }, silentLog)
    key = await original.newKey()
    for (let i = 0; i < 2; i++) old.push(await newSandbox())
    await original.stop()
    const serverUrl = await copyControl(original)
    await original.start()
    young = await newSandbox()
    const { masterSecret } = original.config
    copy = await testControlPlane({ tenantServers, serverUrl, masterSecret, maxActiveSandboxes: 20 }, log)
  })
  afterAll(async () => {
    const { serverUrl } = copy.config
    await copy.drop()
    await onServer(new URL('/postgres', serverUrl).href, (database) =>
      database.run(sql`drop database ${identifier(new URL(serverUrl).pathname.slice(1))} with (force)`),
    )
    await original.drop()
    await Promise.all(servers.map((server) => server.stop()))
  })

  it('[HST-88] does not take over the database servers while the service of the original is stopped for a restart', async () => {
    await deleteByOperator({ control: copy.control, operator: 'tester' }, old[0]!.slug)
    await expect.poll(() => ofOthers(copy), PATIENT).toBe(2)
    await original.stop()
    const key = await copy.newKey()
    const { sandboxId: waiting } = await copy.create(key)
    const tries = logged.length
    // In this time the copy checks the servers at least once.
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    expect(logged.slice(tries)).not.toContain('database server no longer used by another service')
    expect(logged.filter((msg) => msg === NOT_OURS)).toHaveLength(2)
    expect((await copy.plane().counts()).databaseServers).toMatchObject([
      { isUp: true, refusal: expect.stringContaining('run operator server claim') },
      { isUp: true, refusal: expect.stringContaining('is a copy') },
    ])
    // The copy still serves requests. A creation does not fail: it waits until the copy owns the servers.
    expect(await ask(copy, old[1]!.slug)).toBe(200)
    const record = (await copy.call({ key, path: `/api/v1/sandboxes/${waiting}` })).json
    expect(record.status).toBe('provisioning')
    await copy.control.run(sql`delete from sandboxes where id = ${waiting}`)
    await original.start()
    for (const { sandboxId, slug } of [...old, young]) {
      expect(await databases()).toContain(sandboxId)
      expect(await ask(original, slug)).toBe(200)
    }
    await newSandbox()
    expect(await ofOthers(original)).toBe(0)
  })

  it('[HST-88] makes commands that drop, move, adopt or migrate databases fail with an error that names the server', async () => {
    const { control, folder } = copy
    await asCommand(copy, async (open) => {
      const refused = { code: 'CONFLICT', message: expect.stringMatching(/^Another control database .* srv_\w+ \(/) }
      await expect(dropLeftover(control, open, folder, young.sandboxId)).rejects.toMatchObject(refused)
      const { server } = (await control.row<{ server: string }>(
        sql`select server_id as server from sandboxes where id = ${old[1]!.sandboxId}`,
      ))!
      const other = open.present().find(({ id }) => id !== 'control' && id !== server)!.id
      const deps = { control, operator: 'tester', log: silentLog, servers: open, stopStack: async () => undefined }
      const move = { ...deps, migrations: [], print: () => undefined }
      await expect(moveSandbox(move, old[1]!.slug, other)).rejects.toMatchObject(refused)
      await expect(adoptDatabase(deps, old[1]!.slug, other)).rejects.toMatchObject(refused)
      const migrate = { control, servers: open, migrations: [], log: silentLog }
      await expect(migrateAll(migrate, () => undefined)).rejects.toMatchObject(refused)
      await expect(open.of(server).checkOwned()).rejects.toThrow(server)
    })
    await asCommand(original, async (open) => {
      for (const { id } of open.present()) expect(await open.refusalOf(id)).toBeUndefined()
    })
    expect(await databases()).toEqual(expect.arrayContaining([old[1]!.sandboxId, young.sandboxId]))
  })

  it('[HST-88] that has all generations of the original cannot use the servers after the original has recorded a new generation', async () => {
    const before = await generations(original)
    for (const { server, generation } of before)
      await copy.control.run(sql`insert into server_generations (server_id, generation)
        values (${server}, ${generation}) on conflict do nothing`)
    await expect.poll(async () => (await generations(original)).length, PATIENT).toBe(before.length + 2)
    await expect.poll(() => logged.filter((msg) => msg === NOT_OURS).length, PATIENT).toBe(4)
    expect(await ofOthers(original)).toBe(0)
  })

  it('[HST-88] does not prevent the original from using a server that was down, or was restored from an older backup', async () => {
    const [first] = await generations(original)
    const { tag } = (await original.control.row<{ tag: string }>(sql`select tag from installation`))!
    await copy.stop()
    await original.stop()
    for (const { url } of servers)
      await onServer(url, async (database) => {
        const [role] = await database.rows<{ name: string }>(
          sql`select rolname as name from pg_roles where starts_with(rolname, ${`storey_${tag}_server_`})`,
        )
        const comment = role!.name.endsWith(first!.server) ? literal(`generation ${first!.generation}`) : sql`null`
        await database.run(sql`comment on role ${identifier(role!.name)} is ${comment}`)
      })
    await original.start()
    await newSandbox()
    await newSandbox()
    expect(await ofOthers(original)).toBe(0)
    await copy.start()
    await expect.poll(() => ofOthers(copy), PATIENT).toBe(2)
  })

  /** Calls `work` with the lineage and the guard of a server, and a URL whose account cannot comment on roles. */
  async function asKeeper(
    at: TestControlPlane,
    givenLog: Log,
    work: (kept: { lineage: Lineage; guard: ServerGuard; url: string }) => Promise<void>,
  ) {
    const { tag } = (await at.control.row<{ tag: string }>(sql`select tag from installation`))!
    const prefix = `storey_${tag}_server_`
    const url = new URL(servers[0]!.url)
    await onServer(url.href, async (admin) => {
      if (!(await admin.row(sql`select from pg_roles where rolname = 'keeper'`)))
        await admin.run(sql`create role keeper login createdb password 'secret'`)
      url.username = 'keeper'
      url.password = 'secret'
      const { server } = (await admin.row<{ server: string }>(sql`select substr(rolname, ${prefix.length + 1}) as server
        from pg_roles where starts_with(rolname, ${prefix})`))!
      const shared = { installationTag: tag, log: givenLog }
      const lineage = createLineage({ ...shared, control: at.control, admin, serverId: server })
      const process = { isLeader: () => false, isServiceRunning: async () => true }
      const guard = createServerGuard({ ...shared, ...process, url: url.href, server, address: url.host, lineage })
      await work({ lineage, guard, url: url.href })
    })
  }

  it('[HST-88] cannot be recognized if the account on the server has no right to comment on the role that identifies the server: the original logs a warning and still owns the server', async () => {
    const warned: string[] = []
    const warn = pino({ level: 'warn' }, { write: (line: string) => void warned.push(JSON.parse(line).msg) })
    await asKeeper(original, warn, async ({ lineage, url }) => {
      const client = await openDedicatedClient({ url, applicationName: 'test' })
      await lineage.renew(client).finally(() => client.end())
      expect(await lineage.isOurs()).toBe(true)
    })
    expect(warned).toEqual([expect.stringContaining('cannot comment on the role')])
  })

  it('[HST-88] takes over the servers by a claim, which is refused while the service of the original runs', async () => {
    const deps = { control: copy.control, operator: 'tester' }
    await asCommand(copy, async (open) => {
      const { claimed, refusals } = await claimServers({ ...deps, servers: open })
      expect(claimed).toEqual([])
      expect(refusals).toEqual([expect.stringContaining('stop it first'), expect.stringContaining('stop it first')])
    })
    await original.stop()
    await asKeeper(copy, silentLog, ({ guard }) => expect(guard.claim()).rejects.toThrow('cannot comment on the role'))
    await asCommand(copy, async (open) => {
      const { claimed, refusals } = await claimServers({ ...deps, servers: open })
      expect(claimed).toHaveLength(2)
      expect(refusals).toEqual([])
      expect((await claimServers({ ...deps, servers: open })).claimed).toEqual([])
    })
    expect(await listOperations(copy.control, 2)).toMatchObject([
      { command: 'server claim' },
      { command: 'server claim' },
    ])
    // The copy now carries out the deletion that the first test requested.
    await expect.poll(databases, PATIENT).not.toContain(old[0]!.sandboxId)
    await original.start()
    await expect.poll(() => ofOthers(original), PATIENT).toBe(2)
    const { sandboxId } = await original.create(key)
    // In this time the original checks the servers at least once.
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    expect(await databases()).not.toContain(sandboxId)
  })
})
