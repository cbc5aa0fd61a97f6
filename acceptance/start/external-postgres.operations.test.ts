import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { actorsAt, operatorAnswer } from '../system/shared.ts'
import { startSystem } from '../system/system.ts'

const WAITING = 'Another Storey process uses this control database. Waiting'

describe('an operator’s own PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>
  let folder: string
  const asRole = (role: string, database: string) => {
    const url = new URL(server.url)
    url.username = role
    url.password = 'secret'
    url.pathname = `/${database}`
    return url.href
  }
  beforeAll(async () => {
    folder = temporaryFolder('storey-own')
    chmodSync(folder, 0o711)
    server = await startEmbeddedPostgres({ folder: join(folder, 'server'), password: 'secret', log: silentLog })
    const admin = new pg.Client(server.url)
    await admin.connect()
    await admin.query(`create role twin login createdb createrole password 'secret'`)
    await admin.query(`create role visitor login password 'secret'`)
    await admin.query('create database twin owner twin')
    await admin.query('create database duo owner twin')
    await admin.query('create database examined owner twin')
    await admin.query('create database restored owner twin')
    await admin.query('create database "foreign"')
    await admin.end()
  })
  afterAll(async () => {
    await server.stop()
  })

  it('[HST-14] is used instead of the embedded server, with a role that is not superuser', async () => {
    const system = await startSystem({ env: { DATABASE_URL: asRole('twin', 'twin') } })
    expect(existsSync(join(system.dataDir, 'postgres'))).toBe(false)
    const { operator, newSandbox, api } = actorsAt(system)
    const key = await operator('key', 'mint', '--org', 'org_demo')
    const { record, connection } = await newSandbox(key)
    const { json } = await call(`${connection.apiUrl}/api/v1/buildings`, { token: connection.token })
    expect(json.total).toBe(1)
    expect((await api(key, `/api/v1/sandboxes/${record.sandboxId}`, { method: 'DELETE' })).status).toBe(204)
    await system.remove()
  })

  it('[OPR-09, OPR-10] is checked by the doctor: its role, its control database, and whether the role can connect', async () => {
    const system = await startSystem({ env: { DATABASE_URL: asRole('twin', 'examined') } })
    const findings = async (url: string): Promise<string[]> => {
      const { stdout } = await operatorAnswer({ ...system.env, DATABASE_URL: url }, 'doctor', '--json')
      const { findings } = JSON.parse(stdout)
      const ofDatabases = findings.filter(({ area }: { area: string }) => /database|sandboxes/.test(area))
      return ofDatabases.map(({ level, text }: { level: string; text: string }) => `${level}: ${text}`)
    }
    const fine = await findings(asRole('twin', 'examined'))
    expect(fine).toContain('ok: the control database has the newest schema')
    expect(fine.filter((text) => !text.startsWith('ok'))).toEqual([])
    const examined = new pg.Client(asRole('twin', 'examined'))
    await examined.connect()
    // Makes migration 18 of the control database and all later ones due again.
    await examined.query('drop table server_generations; delete from schema_migrations where version >= 18')
    await examined.end()
    const old = (await findings(asRole('twin', 'examined'))).filter((text) => !text.startsWith('ok'))
    expect(old).toEqual([
      expect.stringMatching(
        /^warning: migrations of the control database are due \(\d\), so sandboxes and their servers were not checked$/,
      ),
    ])
    const foreign = await findings(asRole('twin', 'foreign'))
    expect(foreign).toContain('problem: the role twin cannot create tables in foreign')
    expect(foreign).toContain('warning: the control database is empty')
    expect(foreign.filter((text) => text.startsWith('problem'))).toHaveLength(1)
    expect(await findings(asRole('visitor', 'postgres'))).toContain(
      'problem: the role visitor cannot create databases and roles',
    )
    expect(await findings(server.url)).toContain('warning: the role in DATABASE_URL is a superuser')
    const [refused] = await findings(asRole('nobody', 'twin'))
    expect(refused).toContain('problem: the database cannot be reached: password authentication failed')
    await system.remove()
  })

  it('[HST-37] is used by one service at a time: a second one waits, and takes over when the first ends', async () => {
    const env = { DATABASE_URL: asRole('twin', 'duo'), MASTER_SECRET: 'y'.repeat(40) }
    const first = await startSystem({ env })
    const key = await actorsAt(first).operator('key', 'mint', '--org', 'org_demo')
    const waits = Promise.withResolvers<void>()
    let isReady = false
    const starting = startSystem({ env, onOutput: (text) => void (text.includes(WAITING) && waits.resolve()) }).then(
      (system) => {
        isReady = true
        return system
      },
    )
    await waits.promise
    // The second service tries again every second.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(isReady).toBe(false)
    expect((await actorsAt(first).api(key, '/api/v1/sandboxes')).status).toBe(200)
    await first.kill9()
    const second = await starting
    expect((await actorsAt(second).api(key, '/api/v1/sandboxes')).status).toBe(200)
    await second.remove()
    await first.remove()
  })

  it('[HST-89] is not used while its control database lacks key constraints, which a restore adds last', async () => {
    const env = { DATABASE_URL: asRole('twin', 'restored'), MASTER_SECRET: 'z'.repeat(40) }
    const first = await startSystem({ env })
    const key = await actorsAt(first).operator('key', 'mint', '--org', 'org_demo')
    await first.stop()
    const database = new pg.Client(env.DATABASE_URL)
    await database.connect()
    const { rows: keys } = await database.query(`select conrelid::regclass::text as table, conname as name,
        pg_get_constraintdef(oid) as definition from pg_constraint
      where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f') order by contype = 'f'`)
    for (const { table, name } of keys.toReversed())
      await database.query(`alter table ${table} drop constraint ${name}`)
    const counts = async () =>
      (
        await database.query(`select (select count(*) from installation) as installations,
        (select count(*) from organizations) as organizations, (select count(*) from operator_audit) as operations`)
      ).rows
    const before = await counts()
    const sentence = /[Tt]he control database is incomplete: it is probably being restored, and lacks constraint/
    for (let i = 0; i < 2; i++) {
      const failed = await startSystem({ env, dataDir: first.dataDir }).catch((err: Error) => err)
      expect((failed as Error).message).toMatch(sentence)
      expect((failed as Error).message).not.toContain('    at ')
      expect(await operatorAnswer(first.env, 'leftovers')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(sentence),
      })
      expect(await operatorAnswer(first.env, 'doctor')).toMatchObject({
        code: 2,
        stdout: expect.stringMatching(sentence),
      })
    }
    expect(await counts()).toEqual(before)
    for (const { table, name, definition } of keys)
      await database.query(`alter table ${table} add constraint ${name} ${definition}`)
    await database.end()
    const second = await startSystem({ env, dataDir: first.dataDir })
    expect((await actorsAt(second).api(key, '/api/v1/sandboxes')).status).toBe(200)
    await second.remove()
  })

  it.each([
    ['a database of another owner', () => asRole('twin', 'foreign'), 'alter database "foreign" owner to "twin"'],
    ['a role without rights', () => asRole('visitor', 'postgres'), 'must be allowed to create databases and roles'],
    [
      'a role that does not exist',
      () => asRole('nobody', 'twin'),
      'The database in DATABASE_URL could not be checked: password authentication failed',
    ],
    [
      'an unreachable server',
      () => 'postgres://x:y@127.0.0.1:1/x',
      'The database in DATABASE_URL could not be checked: connect ECONNREFUSED',
    ],
  ])('is refused at the start with one sentence if DATABASE_URL names %s', async (_what, url, sentence) => {
    const failed = await startSystem({ env: { DATABASE_URL: url() } }).catch((err: Error) => err)
    expect((failed as Error).message).toContain(sentence)
    expect((failed as Error).message).not.toContain('    at ')
  })
})
