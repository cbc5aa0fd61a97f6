import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTenantServer } from '../../bench/tenant-server.ts'
import { call } from '../system/call.ts'
import { actorsAt, startInstalled } from '../system/shared.ts'
import type { System } from '../system/system.ts'

let system: System
let admin: pg.Client
beforeAll(async () => {
  system = await startInstalled()
  admin = await openTenantServer(system.dataDir).connect('storey')
})
afterAll(async () => {
  await admin?.end()
  await system?.remove()
})

it('[SBX-73] a running stack does not use a database that is restored under its name', async () => {
  const { newDeveloper, newSandbox } = actorsAt(system)
  const { record, connection } = await newSandbox((await newDeveloper()).key)
  const { apiUrl, token } = connection
  const read = () => call(`${apiUrl}/api/v1/buildings`, { token })
  expect((await read()).status).toBe(200)
  const { rows } = await admin.query('select datname from pg_database where datname like $1', [`%${record.sandboxId}`])
  const name = rows[0].datname as string
  /** A database cannot be renamed while somebody is connected. */
  const rename = async (from: string, to: string) => {
    await expect
      .poll(async () => {
        await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [from])
        return admin.query(`alter database ${from} rename to ${to}`).then(
          () => 'renamed',
          (err) => err.code,
        )
      })
      .toBe('renamed')
  }

  await rename(name, `${name}_backup`)
  await admin.query(`create database ${name} owner ${name}`)
  const answers = new Set<number>()
  await expect
    .poll(async () => {
      const { status, json } = await read()
      answers.add(status)
      return json.detail
    })
    .toContain('incomplete')
  expect([...answers]).toEqual([503])
  const empty = await openTenantServer(system.dataDir).connect(name)
  expect((await empty.query("select from pg_class where relnamespace = 'public'::regnamespace")).rowCount).toBe(0)
  await empty.end()

  await admin.query(`drop database ${name} with (force)`)
  await rename(`${name}_backup`, name)
  await expect.poll(async () => (await read()).status).toBe(200)
})
