import { identifier, openDatabase, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { testDatabase } from '@storey/kit/testing'
import { afterEach, expect, it } from 'vitest'
import { refuseCopiedControl } from './copied-control.ts'

const open: { drop(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.drop()
})

/** Creates a control database. With `leaderName` a session is open in it, as if a service ran. */
async function controlDatabase({ tag, leaderName }: { tag?: string; leaderName?: string }) {
  const test = await testDatabase({ migrations: [] })
  open.push(test)
  if (tag !== undefined) {
    await test.database.run(sql`create table installation (tag text)`)
    await test.database.run(sql`insert into installation values (${tag})`)
  }
  if (leaderName !== undefined) {
    const leader = openDatabase({ url: test.url, log: silentLog, applicationName: leaderName, maxConnections: 1 })
    open.push({ drop: () => leader.close() })
    await leader.row(sql`select 1`)
  }
  return test
}

const nameIn = (url: string) => new URL(url).pathname.slice(1)

it.each([
  {
    title: 'a service does not start while another one runs on a copy of its control database',
    copy: 'abc123',
    refused: true,
  },
  { title: 'a service starts while another installation runs', copy: 'xyz789', refused: false },
  { title: 'a service starts while another one without a tag runs', copy: undefined, refused: false },
])('[HST-37] $title', async ({ copy, refused }) => {
  const leaderName = `leader ${copy} ${process.pid}`
  const { database: control, url: controlUrl } = await controlDatabase({ tag: 'abc123', leaderName })
  const other = await controlDatabase({ ...(copy === undefined ? {} : { tag: copy }), leaderName })
  const checked = refuseCopiedControl({ control, controlUrl, leaderName, log: silentLog })
  if (refused) await expect(checked).rejects.toThrow(`the database "${nameIn(other.url)}"`)
  else await expect(checked).resolves.toBeUndefined()
})

it('[HST-37] a service starts when no service uses a copy of its control database, and at its first start', async () => {
  await controlDatabase({ tag: 'abc123' })
  for (const tag of ['abc123', undefined]) {
    const { database: control, url: controlUrl } = await controlDatabase(tag === undefined ? {} : { tag })
    await refuseCopiedControl({ control, controlUrl, leaderName: `leader ${process.pid}`, log: silentLog })
  }
})

it('[HST-37] a service does not start if it cannot check whether another one runs on a copy of its control database', async () => {
  const leaderName = `leader unchecked ${process.pid}`
  const { database: control, url: controlUrl } = await controlDatabase({ tag: 'abc123', leaderName })
  const other = await controlDatabase({ tag: 'xyz789', leaderName })
  const name = nameIn(other.url)
  await control.run(sql`alter database ${identifier(name)} allow_connections false`)
  const checked = refuseCopiedControl({ control, controlUrl, leaderName, log: silentLog })
  await expect(checked).rejects.toThrow(StartupError)
  await expect(checked).rejects.toThrow(`the database "${name}" on the same server. It could not be checked`)
})

it('[HST-37] a service starts while another installation runs in a database that its role may not open', async () => {
  const leaderName = `leader denied ${process.pid}`
  const { database: control, url: controlUrl } = await controlDatabase({ tag: 'abc123', leaderName })
  const other = await controlDatabase({ tag: 'abc123', leaderName })
  const role = `denied_${process.pid}`
  await control.run(sql`create role ${identifier(role)} login password 'secret'`)
  open.push({ drop: async () => void (await control.run(sql`drop role ${identifier(role)}`)) })
  await control.run(sql`revoke connect on database ${identifier(nameIn(other.url))} from public`)
  const url = Object.assign(new URL(controlUrl), { username: role, password: 'secret' }).href
  await refuseCopiedControl({ control, controlUrl: url, leaderName, log: silentLog })
})

it('[HST-90] a service starts while a tenant names its session like a running service, and does not open the database of the tenant', async () => {
  const leaderName = `leader tenant ${process.pid}`
  const { database: control, url: controlUrl } = await controlDatabase({ tag: 'abc123', leaderName })
  const role = `tenant_${process.pid}`
  await control.run(sql`create role ${identifier(role)} login password 'secret'`)
  open.push({ drop: async () => void (await control.run(sql`drop role ${identifier(role)}`)) })
  const tenant = await controlDatabase({})
  await control.run(sql`alter database ${identifier(nameIn(tenant.url))} owner to ${identifier(role)}`)
  const url = Object.assign(new URL(tenant.url), { username: role, password: 'secret' }).href
  const own = openDatabase({ url, log: silentLog, applicationName: leaderName, maxConnections: 1 })
  open.push({ drop: () => own.close() })
  await own.run(sql`create table callers (name text)`)
  await own.run(sql`create function note() returns text language sql as
    'insert into callers values (current_user); select ''abc123'''`)
  await own.run(sql`create view installation as select note() as tag`)
  await refuseCopiedControl({ control, controlUrl, leaderName, log: silentLog })
  expect(await own.rows(sql`select name from callers`)).toEqual([])
})
