import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, identifier, type Migration, openDatabase, sql } from '@storey/kit/database'
import type { EmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DATABASE_MISSING, dropLeftover, listLeftovers, listOperations } from '../operator.ts'
import { withWorkLock } from '../reconciler/index.ts'
import type { TenantServers } from '../tenants/index.ts'
import { testControlPlane } from '../testing/control-plane.ts'
import { startServers } from '../testing/postgres-servers.ts'
import { adoptDatabase } from './adopt-database.ts'
import { startCapture } from './change-capture.store.ts'
import { moveSandbox } from './move-sandbox.ts'
import { listTables } from './tables.store.ts'

const text = `
  create table rooms (id int primary key, name text, constraint rooms_name unique (name) deferrable initially deferred);
  create table notes (id bigint generated always as identity primary key, room int references rooms on delete cascade,
    text text not null, length int generated always as (length(text)) stored);
  create table batches (id bigint generated always as identity primary key, arrived xid8 not null default pg_current_xact_id(),
    data bytea not null);
  create table counter (is_only boolean primary key default true, version int not null);
  insert into counter (version) values (1);
  create function count_rooms() returns trigger language plpgsql as $$ begin
    update counter set version = version + 1; return null; end $$;
  create trigger count_rooms after insert on rooms for each statement execute function count_rooms();
  create table log (id int primary key);
  create function refuse() returns trigger language plpgsql as $$ begin raise exception 'append-only'; end $$;
  create trigger append_only before update or delete or truncate on log for each statement execute function refuse();`
const migrations: Migration[] = [{ version: 1, name: 'rooms', text, checksum: 'rooms and more' }]

describe('moving a sandbox to another database server', () => {
  let postgres: EmbeddedPostgres[]
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let servers: TenantServers
  let key: string
  beforeAll(async () => {
    postgres = await startServers(2)
    const tenantServers = postgres.map(({ url }) => new URL(url))
    test = await testControlPlane({ tenantServers, maxActiveSandboxes: 20 }, silentLog, {
      tenantMigrations: migrations,
    })
    servers = await test.servers(migrations)
    key = await test.newKey()
  })
  afterAll(async () => {
    await servers.close()
    await test.drop()
    await Promise.all(postgres.map((server) => server.stop()))
  })

  const printed: string[] = []
  const move = (id: string, to: string, stopStack: () => Promise<void> = async () => undefined) =>
    moveSandbox(
      {
        ...{ control: test.control, operator: 'tester', servers, migrations, log: silentLog, stopStack },
        print: (line) => void printed.push(line),
      },
      id,
      to,
    )
  async function newSandbox() {
    const { sandboxId: id, slug } = await test.create(key)
    expect(await test.waitWhileProvisioning(key, id)).toMatchObject({ status: 'ready' })
    const from = await serverOf(id)
    const to = servers.list().find((server) => server.id !== 'control' && server.id !== from)!.id!
    return { id, slug, from, to, ask: () => test.call({ host: `${slug}.localhost`, path: '/' }) }
  }
  const serverOf = async (id: string) =>
    (await test.control.row<{ server: string }>(sql`select server_id as server from sandboxes where id = ${id}`))!
      .server
  async function inTenant<T>(id: string, work: (database: Database) => Promise<T>): Promise<T> {
    const url = servers.of(await serverOf(id)).url(id)
    const database = openDatabase({ url, log: silentLog, applicationName: 'test', maxConnections: 1 })
    return await work(database).finally(() => database.close())
  }

  /** Writes to the sandbox's database on its current server until `end` is called, and notes what was acknowledged. */
  function startWriter(id: string) {
    const [added, removed, unknown] = [new Set<string>(), new Set<string>(), new Set<string>()]
    let isOver = false
    async function write(client: pg.Client, next: () => number): Promise<void> {
      while (!isOver) {
        const name = `note ${next()}`
        unknown.add(name)
        await client.query('insert into notes (room, text) values (1, $1)', [name])
        unknown.delete(name)
        added.add(name)
        await client.query('insert into batches (data) values ($1)', [Buffer.from(name)])
        // Two rooms exchange their unique names.
        await client.query('update rooms set name = case name when $1 then $2 else $1 end where id in (1, 2)', [
          'a',
          'b',
        ])
        if (next() % 3 === 0) {
          const [oldest] = added
          unknown.add(oldest!)
          added.delete(oldest!)
          await client.query('delete from notes where text = $1', [oldest])
          unknown.delete(oldest!)
          removed.add(oldest!)
        }
      }
    }
    let count = 0
    const done = (async () => {
      while (!isOver) {
        const client = new pg.Client(servers.of(await serverOf(id)).url(id))
        client.on('error', () => undefined)
        try {
          await client.connect()
          await write(client, () => ++count)
        } catch {
          await sleep(20)
        } finally {
          await client.end().catch(() => undefined)
        }
      }
    })()
    return {
      added,
      removed,
      unknown,
      end: () => {
        isOver = true
        return done
      },
    }
  }

  it('[OPR-12] moves all data, including what is written meanwhile, and leaves nothing behind', async () => {
    const { id, from, to, ask } = await newSandbox()
    await inTenant(id, async (database) => {
      await database.run(sql`insert into rooms values (1, 'a'), (2, 'b')`)
      await database.run(sql`insert into notes (room, text) select 2, 'old ' || n from generate_series(1, 20000) n`)
      await database.run(sql`insert into log select n from generate_series(1, 100) n`)
    })
    expect((await ask()).status).toBe(200)
    const writer = startWriter(id)
    await expect.poll(() => writer.added.size).toBeGreaterThan(20)
    const moved = await move(id, to)
    const before = writer.added.size
    await expect.poll(() => writer.added.size).toBeGreaterThan(before)
    await writer.end()
    expect(await serverOf(id)).toBe(to)
    expect(moved).toMatchObject({ from, to, isSourceDropped: true })
    expect(moved.rows).toBeGreaterThan(20_100)
    await inTenant(id, async (database) => {
      const rows = await database.rows<{ text: string }>(sql`select text from notes where room = 1 order by id`)
      const notes = rows.map(({ text }) => text)
      expect(new Set(notes).size).toBe(notes.length)
      for (const name of writer.added) expect(notes, name).toContain(name)
      for (const name of writer.removed) expect(notes, name).not.toContain(name)
      const known = new Set([...writer.added, ...writer.unknown])
      expect(notes.filter((name) => !known.has(name))).toEqual([])
      const [counts] = await database.rows(sql`select (select count(*) from notes where room = 2) as old,
        (select count(*) from log) as log, (select version from counter) as version,
        (select count(*) from pg_constraint where contype = 'f' and convalidated) as keys,
        (select count(*) from pg_trigger where not tgisinternal and tgenabled = 'O') as triggers,
        (select count(*) from pg_namespace where nspname = 'storey_move') as traces,
        (select count(*) from batches where arrived > pg_current_xact_id()) as ahead`)
      expect(counts).toEqual({ old: 20_000, log: 100, version: 2, keys: 1, triggers: 2, traces: 0, ahead: 0 })
      await expect(database.run(sql`delete from log`)).rejects.toThrow('append-only')
      await expect(database.run(sql`insert into notes (room, text) values (9, 'x')`)).rejects.toThrow('foreign key')
    })
    expect((await ask()).status).toBe(200)
    expect(await servers.of(from).metadataOf(id)).toBeUndefined()
    expect(await test.plane().reconciler.sweep()).toEqual([])
    expect((await listOperations(test.control, 1))[0]).toMatchObject({
      ...{ operator: 'tester', command: 'sandbox move', subject: id, details: { from, to } },
    })
    expect(printed.at(-1)).toMatch(/^Copied \d+ rows and \d+ changes\. Pausing the sandbox$/)
  })

  it('[OPR-12] is refused for an unknown sandbox or server, for the server that has the sandbox already, and while another move is in progress', async () => {
    const { id, from, to } = await newSandbox()
    await expect(move(id, 'srv_nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(move(id, from)).rejects.toThrow('already')
    await expect(move('sbx_nobody', to)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const outcomes = await Promise.allSettled([move(id, to), sleep(50).then(() => move(id, to))])
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toHaveLength(1)
    expect(refused[0]!.reason.message).toMatch(/is being moved to srv_|is working on|already/)
    expect(await serverOf(id)).toBe(to)
  })

  it.each([
    ['reset', 'POST', 202],
    ['removal', 'DELETE', 204],
  ])('[OPR-12] is aborted by a %s, which waits until the move has ended', async (what, method, status) => {
    const { id, from, to } = await newSandbox()
    const path = `/api/v1/sandboxes/${id}${what === 'reset' ? '/reset' : ''}`
    let answer: Promise<{ status: number }> | undefined
    const moving = move(id, to, async () => {
      answer = test.call({ key, path, method })
      await expect
        .poll(
          async () =>
            (await test.control.row(sql`select 1 from sandboxes where id = ${id}
        and (status = 'provisioning' or removing_at is not null)`)) !== undefined,
        )
        .toBe(true)
    })
    await expect(moving).rejects.toThrow('being reset or removed')
    expect((await answer)!.status).toBe(status)
    if (what === 'reset') {
      expect(await test.waitWhileProvisioning(key, id)).toMatchObject({ status: 'ready' })
      expect(await serverOf(id)).toBe(from)
    }
    await expect.poll(async () => await servers.of(to).metadataOf(id)).toBeUndefined()
    expect(await test.plane().reconciler.sweep()).toEqual([])
  })

  it('[OPR-12] is aborted by a reset in the middle of the copy', async () => {
    const { id, from, to } = await newSandbox()
    await inTenant(id, (database) =>
      database.run(sql`insert into notes (text) select repeat('x', 200) || n from generate_series(1, 300000) n`),
    )
    const moving = move(id, to)
    await expect.poll(async () => (await servers.of(to).metadataOf(id)) !== undefined).toBe(true)
    await test.call({ key, path: `/api/v1/sandboxes/${id}/reset`, method: 'POST' })
    await expect(moving).rejects.toThrow('being reset or removed')
    expect(await test.waitWhileProvisioning(key, id)).toMatchObject({ status: 'ready' })
    expect(await serverOf(id)).toBe(from)
    expect(await servers.of(to).metadataOf(id)).toBeUndefined()
  })

  it('[OPR-13] pauses the sandbox with 503 and Retry-After, and is undone by the service when its command was killed', async () => {
    const { id, from, to, ask } = await newSandbox()
    expect((await ask()).status).toBe(200)
    // This creates the state that a command leaves if it is killed in the middle of the pause.
    await test.control.session((session) =>
      withWorkLock(session, id, async () => {
        await test.control.run(sql`update sandboxes set moving_to = ${to}, switching_at = now() where id = ${id}`)
        await servers.of(to).create(id, new Date())
        await inTenant(id, (database) =>
          database.session(async (source) => await startCapture(source, await listTables(source))),
        )
        await servers.of(from).closeExcept(id, 0)
        await test.stop()
        await test.start()
        const paused = await ask()
        expect(paused).toMatchObject({ status: 503, json: { code: 'NOT_READY' } })
        expect(paused.json.detail).toContain('being moved')
        expect(Number(paused.headers['retry-after'])).toBeGreaterThan(0)
      }),
    )
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
    const isMoving = () => test.control.row(sql`select 1 from sandboxes where id = ${id} and moving_to is not null`)
    await expect.poll(isMoving, { timeout: 20_000 }).toBeUndefined()
    expect(await servers.of(to).metadataOf(id)).toBeUndefined()
    const traces = await inTenant(id, (database) =>
      database.rows(sql`select 1 from pg_namespace where nspname = 'storey_move'`),
    )
    expect(traces).toEqual([])
    expect(await move(id, to)).toMatchObject({ from, to })
    expect((await ask()).status).toBe(200)
  })

  it('[OPR-13] is not completed by a command that has lost its lock, because the service undoes the move and the sandbox may have acknowledged writes since', async () => {
    const { id, from, to } = await newSandbox()
    const blocker = new pg.Client({ connectionString: adminUrl(from, id) })
    blocker.on('error', () => undefined)
    await blocker.connect()
    const rowOf = () =>
      test.control.row(
        sql`select moving_to as "movingTo", switching_at as "switchingAt" from sandboxes where id = ${id}`,
      )
    async function loseLock(): Promise<void> {
      // While this lock is held, the service cannot remove the triggers of the move, so `moving_to` keeps the target.
      await blocker.query('begin; lock table rooms in access share mode')
      await test.control.run(sql`select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and objid::bigint = hashtext(${id})::bigint & 4294967295`)
      await expect.poll(rowOf, { timeout: 20_000 }).toEqual({ movingTo: to, switchingAt: null })
      await expect.poll(() => noteIn(id, from, 'acknowledged').catch(() => 0), { timeout: 20_000 }).toBe(1)
    }
    const of = (serverId: string) => {
      const tenants = servers.of(serverId)
      const recordSeeded: typeof tenants.recordSeeded = async (...args) => {
        await tenants.recordSeeded(...args)
        await loseLock()
      }
      return { ...tenants, ...(serverId === to ? { recordSeeded } : {}) }
    }
    const deps = { control: test.control, operator: 'tester', migrations, log: silentLog, print: () => undefined }
    const moving = moveSandbox({ ...deps, servers: { ...servers, of }, stopStack: async () => undefined }, id, to)
    await expect(moving).rejects.toThrow('lost a connection')
    expect(await serverOf(id)).toBe(from)
    await blocker.end()
    await expect.poll(rowOf, { timeout: 20_000 }).toEqual({ movingTo: null, switchingAt: null })
    expect(await serverOf(id)).toBe(from)
    expect(await notes(id)).toEqual(['acknowledged'])
  })

  /**
   * Sets the server of the sandbox back to `from` in the control database, as if a backup from before the move had been
   * restored.
   */
  const forgetMove = (id: string, from: string) =>
    test.control.run(sql`update sandboxes set server_id = ${from} where id = ${id}`)
  const noteIn = (id: string, serverId: string, text: string) => {
    const url = servers.of(serverId).url(id)
    const database = openDatabase({ url, log: silentLog, applicationName: 'test', maxConnections: 1 })
    return database.run(sql`insert into batches (data) values (${Buffer.from(text)})`).finally(() => database.close())
  }
  const notes = async (id: string) => {
    const rows = await inTenant(id, (database) => database.rows<{ data: Buffer }>(sql`select data from batches`))
    return rows.map(({ data }) => data.toString())
  }

  it('[OPR-15] stays in effect: the service finds the database, even if the restored control database does not know of the move', async () => {
    const { id, from, to, ask } = await newSandbox()
    await move(id, to)
    await noteIn(id, to, 'after the move')
    await forgetMove(id, from)
    await test.stop()
    await test.start()
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
    expect(await serverOf(id)).toBe(to)
    expect(await notes(id)).toEqual(['after the move'])
  })

  it('[OPR-15] is noticed by a sweep too, even if the sandbox no longer has a server', async () => {
    const { id, from, to, ask } = await newSandbox()
    await move(id, to)
    await forgetMove(id, from)
    await test.plane().reconciler.sweep()
    expect(await serverOf(id)).toBe(to)
    await test.control.run(sql`update sandboxes set server_id = null, status = 'failed', failure_reason = ${DATABASE_MISSING}
      where id = ${id}`)
    await test.plane().reconciler.sweep()
    expect(await serverOf(id)).toBe(to)
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
  })

  it('[OPR-15] does not let the sandbox’s only database be dropped as a leftover, even if the control database does not know of the move', async () => {
    const { id, from, to, ask } = await newSandbox()
    await move(id, to)
    await noteIn(id, to, 'acknowledged')
    await test.stop()
    await forgetMove(id, from)
    const listed = (await listLeftovers(test.control, servers, test.folder)).filter((leftover) => leftover.id === id)
    expect(listed).toMatchObject([{ serverId: to, isNeeded: true, isUnneeded: false, dropAt: null }])
    await expect(dropLeftover(test.control, servers, test.folder, id)).rejects.toThrow('the only one of this sandbox')
    await expect(move(id, to)).rejects.toThrow(`is missing on ${from}`)
    await test.start()
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
    expect(await notes(id)).toEqual(['acknowledged'])
  })

  it('[OPR-15] is refused if the target server has a complete database of the sandbox, which `sandbox adopt` can then use', async () => {
    const { id, slug, from, to, ask } = await newSandbox()
    const metadata = (await servers.of(from).metadataOf(id))!
    await move(id, to)
    await noteIn(id, to, 'newer')
    // The first server is restored from a backup, which has the database too.
    await servers.of(from).create(id, metadata.requestedAt!)
    await servers.of(from).recordSeeded({ id, requestedAt: metadata.requestedAt! }, metadata.result!)
    await noteIn(id, from, 'older')
    await forgetMove(id, from)
    await test.plane().reconciler.sweep()
    await expect(move(id, to)).rejects.toThrow(`${to} has a database of ${slug}`)
    expect(await notes(id)).toEqual(['older'])
    const stopped: string[] = []
    const adopt = (serverId: string) =>
      adoptDatabase(
        {
          ...{ control: test.control, operator: 'tester', log: silentLog, servers },
          stopStack: async (sandboxId) => void stopped.push(sandboxId),
        },
        slug,
        serverId,
      )
    await expect(adopt(from)).rejects.toThrow(`uses its database on ${from}`)
    expect(await adopt(to)).toMatchObject({ before: from, from: to })
    expect(stopped).toEqual([id])
    expect(await notes(id)).toEqual(['newer'])
    expect((await ask()).status).toBe(200)
    // The database that was used before is kept.
    await test.plane().reconciler.sweep()
    expect(await servers.of(from).metadataOf(id)).toMatchObject({ requestedAt: metadata.requestedAt })
    expect(await listOperations(test.control, 100)).toContainEqual(
      expect.objectContaining({ command: 'sandbox adopt', subject: id, details: { before: from, from: to } }),
    )
  })

  it('[OPR-15] `sandbox adopt` refuses a database that is missing, incomplete, or from before a reset', async () => {
    const { id, to } = await newSandbox()
    const deps = adoptDeps()
    await expect(adoptDatabase(deps, id, to)).rejects.toThrow('has no database of')
    await servers.of(to).create(id, new Date(0))
    await expect(adoptDatabase(deps, id, to)).rejects.toThrow('incomplete')
    await servers
      .of(to)
      .recordSeeded({ id, requestedAt: new Date(0) }, { siteId: 'a', buildingId: 'b', fingerprint: 'c' })
    await expect(adoptDatabase(deps, id, to)).rejects.toThrow('another building')
    expect(await move(id, to)).toMatchObject({ to })
  })

  const adoptDeps = () => ({
    ...{ control: test.control, operator: 'tester', log: silentLog, servers },
    stopStack: async () => undefined,
  })
  /** Creates a database like one that was restored by a tool that does not restore the comment of the database. */
  async function restoreOn(serverId: string, id: string): Promise<void> {
    const url = new URL(servers.of(serverId).url(id))
    await servers.of(serverId).create(id, new Date())
    const database = openDatabase({ url: url.href, log: silentLog, applicationName: 'test', maxConnections: 1 })
    await database.run(sql`comment on database ${identifier(url.pathname.slice(1))} is null`)
    await database.close()
  }

  it('[SBX-70] drops no backup that was restored on the target server, and neither does a sweep; the backup can be adopted when the sandbox has lost its database', async () => {
    const { id, slug, from, to, ask } = await newSandbox()
    const ofThis = async () =>
      (await listLeftovers(test.control, servers, test.folder)).filter((leftover) => leftover.id === id)
    await restoreOn(to, id)
    await noteIn(id, to, 'restored')
    await test.plane().reconciler.sweep()
    expect(await ofThis()).toMatchObject([{ serverId: to, isNeeded: false, isUnneeded: false }])
    await expect(move(id, to)).rejects.toThrow(`${to} has a database of ${slug}`)
    // The sandbox's own database is lost.
    await servers.of(from).drop(id)
    await test.plane().reconciler.sweep()
    expect(await ofThis()).toMatchObject([{ serverId: to, isNeeded: true, isUnneeded: false }])
    await expect(dropLeftover(test.control, servers, test.folder, id)).rejects.toThrow('the only one of this sandbox')
    expect(await adoptDatabase(adoptDeps(), id, to)).toMatchObject({ from: to })
    expect(await servers.of(to).metadataOf(id)).toEqual({ requestedAt: expect.any(Date), result: expect.any(Object) })
    expect(await notes(id)).toEqual(['restored'])
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
  })

  /** The address of the sandbox's database on this server, for the administrator of the server. */
  function adminUrl(serverId: string, id: string): string {
    const own = new URL(servers.of(serverId).url(id))
    const url = new URL(postgres.find((server) => new URL(server.url).port === own.port)!.url)
    url.pathname = own.pathname
    return url.href
  }

  it('[SBX-70] `sandbox adopt` refuses a database that is still being restored from a backup', async () => {
    const { id, to } = await newSandbox()
    await restoreOn(to, id)
    const client = new pg.Client({ connectionString: adminUrl(to, id), application_name: 'pg_restore' })
    await client.connect()
    await expect(adoptDatabase(adoptDeps(), id, to)).rejects.toThrow('incomplete')
    await client.end()
    await expect.poll(() => adoptDatabase(adoptDeps(), id, to).catch(() => undefined)).toMatchObject({ from: to })
  })
})
