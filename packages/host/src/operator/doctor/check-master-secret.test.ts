import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@storey/kit/clock'
import { silentLog } from '@storey/kit/log'
import { testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRealms } from '../../realms.ts'
import { readSettings } from '../../settings.ts'
import { runDoctor } from './run-doctor.ts'

const SECRET = '0123456789abcdef0123456789abcdef'
const OTHER = 'fedcba9876543210fedcba9876543210'

describe('the master secret', () => {
  const dataDir = temporaryFolder('storey-doctor')
  let test: Awaited<ReturnType<typeof testDatabase>>
  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
  })
  afterAll(() => test?.drop())

  async function aboutTheSecret(env: Record<string, string>): Promise<string[]> {
    const settings = { DATA_DIR: dataDir, DATABASE_URL: test.url, PORT: '0', METRICS_PORT: '0', ...env }
    const { json } = await runDoctor(settings)
    const { findings } = json as { findings: { level: string; area: string; text: string }[] }
    return findings.filter(({ text }) => text.includes('encrypted with')).map((one) => `${one.level} ${one.text}`)
  }

  it('[OPR-09] has no finding before the first start, because no keys are encrypted yet', async () => {
    expect(await aboutTheSecret({ MASTER_SECRET: OTHER })).toEqual([])
  })

  it('[OPR-09] must be the secret that encrypted the keys in the database, whether it is in the settings or in the data folder', async () => {
    const parts = { control: test.database, masterSecret: SECRET, clock: systemClock, log: silentLog }
    await (await openRealms(readSettings({}), parts)).identity?.close()
    const rest = 'is not the secret that the keys in this database were encrypted with: the service does not start'
    expect(await aboutTheSecret({ MASTER_SECRET: SECRET })).toEqual([])
    expect(await aboutTheSecret({ MASTER_SECRET: OTHER })).toEqual([`problem MASTER_SECRET ${rest}`])
    expect(await aboutTheSecret({})).toEqual([])
    writeFileSync(join(dataDir, 'master-secret'), OTHER, { mode: 0o600 })
    expect(await aboutTheSecret({})).toEqual([`problem master-secret in ${dataDir} ${rest}`])
  })
})
