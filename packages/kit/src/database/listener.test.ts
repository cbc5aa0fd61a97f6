import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { createListener } from './listener.ts'
import { sql } from './sql.ts'

describe('a listener', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
  })
  afterAll(() => test.drop())

  const notify = (text: string) => test.database.run(sql`select pg_notify('test', ${text})`)
  const terminate = (name: string) =>
    test.database.run(sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`)

  function listen(applicationName: string) {
    const heard: string[] = []
    const listener = createListener({
      ...{ url: test.url, applicationName, channel: 'test', log: silentLog, checkEveryMs: 50 },
      onMessage: (text) => heard.push(text),
      onListening: () => heard.push('listening'),
    })
    listener.start()
    return { heard, listener }
  }

  it('[PLN-01] gets the notifications that other connections send while it listens', async () => {
    const { heard, listener } = listen('listener 1')
    await expect.poll(() => heard).toEqual(['listening'])
    await notify('one')
    await expect.poll(() => heard).toEqual(['listening', 'one'])
    await listener.close()
    await notify('two')
    expect(heard).toEqual(['listening', 'one'])
  })

  it('[PLN-01] connects again when its connection breaks, and reports the gap', async () => {
    const { heard, listener } = listen('listener 2')
    await expect.poll(() => heard).toEqual(['listening'])
    await terminate('listener 2')
    await expect.poll(() => heard).toEqual(['listening', 'listening'])
    await notify('later')
    await expect.poll(() => heard).toContain('later')
    await listener.close()
  })

  it('[PLN-01] connects again when the server no longer answers on its connection', async () => {
    const { heard, listener } = listen('listener 3')
    await expect.poll(() => heard).toEqual(['listening'])
    const row = await test.database.row<{ pid: number }>(
      sql`select pid from pg_stat_activity where application_name = 'listener 3'`,
    )
    process.kill(row!.pid, 'SIGSTOP')
    try {
      await expect.poll(() => heard, { timeout: 20_000 }).toEqual(['listening', 'listening'])
    } finally {
      process.kill(row!.pid, 'SIGCONT')
    }
    await listener.close()
  })
})
