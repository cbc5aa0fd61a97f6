import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@storey/kit/clock'
import { silentLog } from '@storey/kit/log'
import { testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { openRealms } from '../realms.ts'
import { readSettings } from '../settings.ts'
import { runOperator } from './run-operator.ts'

describe('the operator program', () => {
  it.each(['help', '--help', '-h'])('lists its commands with %s, without a data folder', async (word) => {
    expect(await runOperator([word], {})).toContain('sandbox restore <sandbox>')
  })

  it('[HST-68] creates no installation: a data folder that no service has used is refused', async () => {
    const missing = join(temporaryFolder('storey-operator'), 'missing')
    for (const env of [{}, { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/x' }]) {
      await expect(runOperator(['sandbox', 'list'], { DATA_DIR: missing, ...env })).rejects.toThrow(
        `No service has used the data folder ${missing} yet.`,
      )
    }
    expect(existsSync(missing)).toBe(false)
  })

  it.each([
    ['master secret', { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/x' }, 'no master secret. Set MASTER_SECRET'],
    ['database', { MASTER_SECRET: 'x'.repeat(40) }, 'no database. Set DATABASE_URL'],
  ])('[HST-68] creates no %s in the data folder of a service that keeps it elsewhere', async (_, env, reason) => {
    const folder = temporaryFolder('storey-operator')
    writeFileSync(join(folder, 'storey.pid'), `${process.pid}\nhttp://localhost:4000/\n`)
    await expect(runOperator(['sandbox', 'list'], { DATA_DIR: folder, ...env })).rejects.toThrow(
      `The data folder ${folder} has ${reason}`,
    )
    expect(readdirSync(folder)).toEqual(['storey.pid'])
  })

  it('refuses a wrong master secret with the error of a service that starts with it, unless both realms are external', async () => {
    const test = await testDatabase({ migrations: [] })
    try {
      const right = '0123456789abcdef0123456789abcdef'
      const env = { DATA_DIR: temporaryFolder('storey-operator'), DATABASE_URL: test.url, MASTER_SECRET: right }
      const wrong = { ...env, MASTER_SECRET: 'fedcba9876543210fedcba9876543210' }
      await runOperator(['migrate'], env)
      const parts = { control: test.database, clock: systemClock, log: silentLog }
      await (await openRealms(readSettings(env), { ...parts, masterSecret: right })).identity?.close()
      const starting = openRealms(readSettings(wrong), { ...parts, masterSecret: wrong.MASTER_SECRET })
      const { message } = await starting.then(
        () => expect.fail('started'),
        (err: Error) => err,
      )
      for (const command of [['migrate'], ['migrate', '--check'], ['org', 'create', 'Acme']])
        await expect(runOperator(command, wrong)).rejects.toThrow(message)
      expect(await runOperator(['migrate'], env)).toBe('')
      const external = { DEVELOPERS_ISSUER: 'https://a.example/d', SANDBOXES_ISSUER: 'https://a.example/s' }
      expect(await runOperator(['migrate'], { ...wrong, ...external })).toBe('')
    } finally {
      await test.drop()
    }
  })
})
