import { connect as connectTo, createServer, type Server } from 'node:net'
import { openDatabase, sql } from '@storey/kit/database'
import type { EmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drainServer, forgetServer, listServers } from '../../operator.ts'
import { testControlPlane } from '../../testing/control-plane.ts'
import { startServers } from '../../testing/postgres-servers.ts'
import { createServerGuard } from './server-guard.ts'
import { readLoads } from './servers.store.ts'

/** Forwards connections to a server. `cut` ends all connections, and refuses new ones until `open` is called. */
interface Tunnel {
  url: URL
  open(): Promise<void>
  cut(): Promise<void>
  /** Ends all connections, and forwards later ones to another server. */
  leadTo(other: string): Promise<void>
}

async function startTunnel(first: URL): Promise<Tunnel> {
  let target = first
  const sockets = new Set<{ destroy(): void }>()
  let server: Server | undefined
  let port = 0
  const open = () =>
    new Promise<void>((resolve) => {
      server = createServer((socket) => {
        const upstream = connectTo(Number(target.port), target.hostname)
        for (const one of [socket, upstream]) {
          sockets.add(one)
          one.on('error', () => undefined)
        }
        socket.pipe(upstream).pipe(socket)
      })
      server.listen(port, '127.0.0.1', () => {
        port = (server!.address() as { port: number }).port
        resolve()
      })
    })
  await open()
  const url = new URL(target.href)
  url.port = `${port}`
  async function cut() {
    const closed = new Promise((resolve) => server!.close(resolve))
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await closed
  }
  return {
    ...{ url, open, cut },
    async leadTo(other) {
      await cut()
      target = new URL(other)
      await open()
    },
  }
}

describe('several database servers', () => {
  const logged: { msg: string; address?: string; server?: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  let servers: EmbeddedPostgres[]
  let tunnel: Awaited<ReturnType<typeof startTunnel>>
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let key: string
  const created: string[] = []
  beforeAll(async () => {
    servers = await startServers(3)
    tunnel = await startTunnel(new URL(servers[1]!.url))
    test = await testControlPlane(
      { tenantServers: [new URL(servers[0]!.url), tunnel.url], maxActiveSandboxes: 20 },
      log,
    )
    key = await test.newKey()
  })
  afterAll(async () => {
    await test.drop()
    await tunnel.cut()
    await Promise.all(servers.map((server) => server.stop()))
  })

  const serverOf = async (id: string) =>
    (await test.control.row<{ server: string }>(sql`select server_id as server from sandboxes where id = ${id}`))!
      .server
  const addressOf = (url: URL | string) => new URL(url).host
  const states = async () => {
    const open = await test.servers()
    return await listServers(test.control, open).finally(() => open.close())
  }
  async function databasesOn(url: string): Promise<string[]> {
    const database = openDatabase({ url, log: silentLog, applicationName: 'test', maxConnections: 1 })
    const rows = await database
      .rows<{ name: string }>(sql`select datname as name from pg_database where datname like '%\_sbx\_%'`)
      .finally(() => database.close())
    return rows.map(({ name }) => `sbx_${name.split('_sbx_')[1]}`)
  }
  const ask = async (slug: string) => await test.call({ host: `${slug}.localhost`, path: '/' })

  it('[HST-79] each get the same number of new sandboxes, even if the sandboxes are created at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => test.create(key)))
    for (const { sandboxId } of all) {
      created.push(sandboxId)
      expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'ready' })
    }
    // A stack that runs counts as load, so no stack is started before all sandboxes are placed.
    for (const { slug } of all) expect((await ask(slug)).status).toBe(200)
    const [first, second] = await Promise.all(servers.slice(0, 2).map(({ url }) => databasesOn(url)))
    expect([first!.length, second!.length]).toEqual([2, 2])
    expect([...first!, ...second!].sort()).toEqual([...created].sort())
    expect(await databasesOn(test.config.serverUrl)).not.toContain(created[0])
    expect(await states()).toMatchObject([
      { id: 'control', isUp: true, takesNew: false, sandboxes: 0 },
      { address: addressOf(servers[0]!.url), isUp: true, takesNew: true, sandboxes: 2 },
      { address: addressOf(tunnel.url), isUp: true, takesNew: true, sandboxes: 2 },
    ])
    expect(await test.plane().reconciler.sweep()).toEqual([])
  })

  it('[HST-79] have a load in which a sandbox that is not measured yet counts with the average size', async () => {
    await test.control.run(sql`update sandboxes set storage_bytes = 300 where id = ${created[0]!}`)
    const loads = await readLoads(test.control)
    const bytes = [...loads.values()].map((load) => load.bytes)
    expect(bytes).toEqual([600, 600])
    await test.control.run(sql`update sandboxes set storage_bytes = null where id = ${created[0]!}`)
  })

  it('[HST-79] keep a sandbox on the same server after a reset, and have no database of a deleted sandbox', async () => {
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    const before = await serverOf(sandboxId)
    const path = `/api/v1/sandboxes/${sandboxId}`
    expect((await test.call({ key, path: `${path}/reset`, method: 'POST' })).status).toBe(202)
    expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'ready' })
    expect(await serverOf(sandboxId)).toBe(before)
    expect((await test.call({ key, path, method: 'DELETE' })).status).toBe(204)
    const databases = (await Promise.all(servers.map(({ url }) => databasesOn(url)))).flat()
    expect(databases).not.toContain(sandboxId)
  })

  it('[SBX-57] are swept: a complete database that its sandbox does not use is quarantined, an incomplete one is dropped', async () => {
    const owned = created[0]!
    const open = await test.servers()
    const elsewhere = open.present().find(({ id }) => id !== 'control')!
    const other = (await serverOf(owned)) === elsewhere.id ? open.present().at(-1)! : elsewhere
    await other.tenants.create(owned, new Date())
    expect(await test.plane().reconciler.sweep()).toMatchObject([{ id: owned, serverId: other.id, isUnneeded: true }])
    await other.tenants.create(owned, new Date())
    const result = { siteId: 'site', buildingId: 'building', fingerprint: 'sha256:x' }
    await other.tenants.recordSeeded({ id: owned, requestedAt: new Date() }, result)
    expect(await test.plane().reconciler.sweep()).toMatchObject([{ id: owned, serverId: other.id, isUnneeded: false }])
    await other.tenants.drop(owned)
    expect(await test.plane().reconciler.sweep()).toEqual([])
    await open.close()
  })

  it('[HST-81] work while one of them does not answer: its sandboxes respond with 503, and all other sandboxes work, also new ones', async () => {
    const down = (await states()).find(({ address }) => address === addressOf(tunnel.url))!.id!
    await tunnel.cut()
    const ready = async () => (await test.call({ path: '/readyz' })).json
    await expect.poll(ready, { timeout: 30_000 }).toMatchObject({ status: 'ready', databaseServersUnavailable: [down] })
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'database server unavailable, its sandboxes are unavailable too', server: down }),
    )
    const counts = await test.plane().counts()
    expect(counts.databaseServers).toContainEqual(expect.objectContaining({ id: down, isUp: false }))
    await test.restart()
    for (const id of created) {
      const { slug } = (await test.call({ key, path: `/api/v1/sandboxes/${id}` })).json
      const answer = await ask(slug)
      if ((await serverOf(id)) === down) expect(answer).toMatchObject({ status: 503, json: { code: 'NOT_READY' } })
      else expect(answer.status).toBe(200)
    }
    const lost = await lostSandbox(down)
    const path = `/api/v1/sandboxes/${lost}`
    expect((await test.call({ key, path: `${path}/reset`, method: 'POST' })).status).toBe(202)
    expect(await test.waitWhileProvisioning(key, lost)).toMatchObject({ status: 'ready' })
    expect(await serverOf(lost)).not.toBe(down)
    await test.plane().reconciler.sweep()
    for (const id of created)
      expect((await test.call({ key, path: `/api/v1/sandboxes/${id}` })).json.status).toBe('ready')

    await tunnel.open()
    await expect.poll(ready, { timeout: 30_000 }).not.toHaveProperty('databaseServersUnavailable')
    const still = await lostSandbox(down)
    const { slug } = (await test.call({ key, path: `/api/v1/sandboxes/${still}` })).json
    await expect.poll(async () => (await ask(slug)).status, { timeout: 30_000 }).toBe(200)
    // The reset created a database on another server. The old database is complete, so it is quarantined.
    expect(await test.plane().reconciler.sweep()).toMatchObject([{ id: lost, serverId: down, isUnneeded: false }])
  })

  const lostSandbox = async (server: string) => {
    for (const id of created) if ((await serverOf(id)) === server) return id
    throw new Error('no sandbox on that server')
  }

  it('[HST-86] are unavailable while another server answers at their address, and no database is created on that other server', async () => {
    const { id: theirs } = (await states()).find(({ address }) => address === addressOf(tunnel.url))!
    const id = await lostSandbox(theirs!)
    const path = `/api/v1/sandboxes/${id}`
    const { slug } = (await test.call({ key, path })).json
    await expect.poll(async () => (await ask(slug)).status, { timeout: 30_000 }).toBe(200)
    const other = servers[2]!.url
    await tunnel.leadTo(other)
    await test.plane().reconciler.sweep()
    expect(logged).toContainEqual(
      expect.objectContaining({ server: theirs, reason: expect.stringContaining('another server') }),
    )
    expect((await test.call({ key, path })).json.status).toBe('ready')
    // The remaining servers of the list are usable, even after a restart.
    await test.restart()
    expect((await test.call({ key, path })).json.status).toBe('ready')
    expect((await ask(slug)).json.detail).toContain('unavailable')
    expect(await states()).toContainEqual(
      expect.objectContaining({ id: theirs, isUp: false, reason: expect.stringContaining('another server') }),
    )
    const { sandboxId } = await test.create(key)
    expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'ready' })
    expect(await serverOf(sandboxId)).not.toBe(theirs)
    expect(await databasesOn(other)).toEqual([])
    await tunnel.leadTo(servers[1]!.url)
    await expect.poll(async () => (await ask(slug)).status, { timeout: 30_000 }).toBe(200)
  })

  it('[HST-87] are left as they are by a service with a copy of the control database, while the service with the original runs', async () => {
    const { tag } = (await test.control.row<{ tag: string }>(sql`select tag from installation`))!
    const guards = servers.slice(0, 2).map(({ url }) =>
      createServerGuard({
        ...{ url, server: 'srv_test', address: addressOf(url), installationTag: tag, log: silentLog },
        // Only the lock is tested, so the check of the generation always succeeds.
        lineage: { isOurs: async () => true, renew: async () => undefined },
        isLeader: () => true,
        isServiceRunning: async () => true,
      }),
    )
    const { sandboxId } = await test.create(key)
    expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'ready' })
    const refused = async () => {
      const results = await Promise.allSettled(guards.map((guard) => guard.check()))
      await Promise.all(guards.map((guard) => guard.close()))
      return results.map(({ status }) => status)
    }
    // The server was unavailable in the test before, so the service may still have to take the lock again.
    await expect.poll(refused, { timeout: 30_000, interval: 500 }).toEqual(['rejected', 'rejected'])
    await test.stop()
    for (const guard of guards) await guard.check()
    // From now on the service of this test is the one with the copy of the control database.
    test.config.removalLimitMs = 1_000
    await test.start()
    delete test.config.removalLimitMs
    const path = `/api/v1/sandboxes/${sandboxId}`
    const { slug } = (await test.call({ key, path })).json
    expect((await ask(slug)).status).toBe(200)
    // 503 means only that the removal takes long. The removal is completed when the guards, which act as the original
    // service, have closed.
    expect((await test.call({ key, path, method: 'DELETE' })).status).toBe(503)
    await expect
      .poll(() => logged.map(({ msg }) => msg))
      .toContainEqual(expect.stringContaining('used by another service with a copy of this control database'))
    const kept = await Promise.all(servers.slice(0, 2).map(({ url }) => databasesOn(url)))
    expect(kept.flat()).toContain(sandboxId)
    await Promise.all(guards.map((guard) => guard.close()))
    await expect
      .poll(async () => (await Promise.all(servers.slice(0, 2).map(({ url }) => databasesOn(url)))).flat(), {
        timeout: 60_000,
      })
      .not.toContain(sandboxId)
  })

  it('[HST-80] are recognized at another address, and refused if a server is listed twice or is missing', async () => {
    const before = await states()
    await test.stop()
    const [first, second] = test.config.tenantServers as [URL, URL]
    const direct = new URL(servers[1]!.url)
    const configure = (entries: URL[]) => Object.assign(test.config, { tenantServers: entries })
    configure([first, second, direct])
    await expect(test.start()).rejects.toThrow(/lists the same server twice: .* and .* are both srv_/)
    configure([first])
    await expect(test.start()).rejects.toThrow(
      /does not list all servers with sandboxes: srv_\w+ \(127.0.0.1:\d+\), with \d+ sandbox(es)? \(/,
    )
    configure([])
    await expect(test.start()).rejects.toThrow('does not list all servers with sandboxes')
    configure([first, new URL(test.config.serverUrl), direct])
    await test.start()
    expect(await states()).toMatchObject([
      { id: 'control', takesNew: true },
      { id: before[1]!.id, address: addressOf(first) },
      { id: before[2]!.id, address: addressOf(direct) },
    ])
  })

  it('[OPR-14] take no new sandboxes while they are drained', async () => {
    const [, first] = await states()
    const deps = { control: test.control, operator: 'tester' }
    for (const { id } of (await states()).filter(({ id }) => id !== first!.id)) await drainServer(deps, id!, true)
    expect((await states()).filter(({ takesNew }) => takesNew)).toMatchObject([{ id: first!.id }])
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    expect(await serverOf(sandboxId)).toBe(first!.id)
    for (const { id } of await states()) await drainServer(deps, id!, false)
    await expect(drainServer(deps, 'srv_nobody', true)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('[HST-80] must allow the creation of databases and roles', async () => {
    const admin = openDatabase({ url: servers[0]!.url, log: silentLog, applicationName: 'test', maxConnections: 1 })
    await admin.run(sql`create role visitor login password 'secret'`).finally(() => admin.close())
    const url = new URL(servers[0]!.url)
    url.username = 'visitor'
    await test.stop()
    Object.assign(test.config, { tenantServers: [url, new URL(servers[1]!.url)] })
    const refused = await test.start().catch((err: Error) => err.message)
    expect(refused).toContain(`TENANT_DATABASE_URLS (${url.host}) must be allowed to create databases and roles`)
    expect(refused).not.toContain('secret')
    Object.assign(test.config, { tenantServers: servers.map((server) => new URL(server.url)) })
    await test.start()
  })

  it('[OPR-14] can be forgotten when they are lost: their sandboxes fail, and can be reset on another server', async () => {
    const [, , second] = await states()
    const deps = { control: test.control, operator: 'tester', servers: { isUp: (id: string) => id !== second!.id } }
    await expect(forgetServer(deps, (await states())[1]!.id!)).rejects.toThrow('move its sandboxes instead')
    await expect(forgetServer(deps, 'control')).rejects.toThrow('cannot be forgotten')
    await servers[1]!.stop()
    await test.stop()
    Object.assign(test.config, { tenantServers: [new URL(servers[0]!.url)] })
    await expect(test.start()).rejects.toThrow('does not list all servers with sandboxes')
    const lost = await forgetServer(deps, second!.id!)
    expect(lost.length).toBeGreaterThan(0)
    await test.start()
    const path = `/api/v1/sandboxes/${lost[0]}`
    const { json } = await test.call({ key, path })
    expect(json).toMatchObject({ status: 'failed', failureReason: expect.stringContaining('database') })
    expect((await test.call({ key, path: `${path}/reset`, method: 'POST' })).status).toBe(202)
    expect(await test.waitWhileProvisioning(key, lost[0]!)).toMatchObject({ status: 'ready' })
    for (const id of lost.slice(1))
      expect((await test.call({ key, path: `/api/v1/sandboxes/${id}`, method: 'DELETE' })).status).toBe(204)
  })
})
