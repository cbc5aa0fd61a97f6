import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../settings.ts'
import { checkFolder } from './check-folder.ts'

const findingsIn = (env: Record<string, string>) =>
  checkFolder(readSettings(env)).all.map(({ level, text }) => `${level}: ${text}`)

describe('the data folder of a service whose database and master secret are elsewhere', () => {
  it('[OPR-09] counts as used after an orderly stop, which leaves no lock, secret or database in it', () => {
    const DATA_DIR = temporaryFolder('storey-doctor')
    const elsewhere = { DATABASE_URL: 'postgres://127.0.0.1/storey', MASTER_SECRET: '0123456789abcdef0123456789abcdef' }
    expect(findingsIn({ DATA_DIR, ...elsewhere })).toEqual([`warning: no service has used ${DATA_DIR} yet`])
    mkdirSync(join(DATA_DIR, 'sandboxes'))
    const found = findingsIn({ DATA_DIR, ...elsewhere })
    expect(found).not.toContainEqual(expect.stringContaining('no service has used'))
    expect(found).toContainEqual(expect.stringMatching(/ MB of its disk are free/))
    expect(findingsIn({ DATA_DIR })).toEqual([`problem: no service has used ${DATA_DIR} yet`])
  })
})
