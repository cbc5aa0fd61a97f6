import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { cannotUse, openDataFolder, runningService } from './data-folder.ts'

/** Writing to this device fails as on a full disk. Do not read the device: its content never ends. */
const FULL = '/dev/full'

describe.runIf(existsSync(FULL))('a data folder on a full disk', () => {
  let path: string
  beforeEach(() => {
    path = temporaryFolder('storey-folder')
  })

  it('[HST-45] creates no empty secret, and creates the secret once there is space again', () => {
    symlinkSync(FULL, join(path, `master-secret.${process.pid}`))
    const folder = openDataFolder(path)
    expect(() => folder.masterSecret(undefined)).toThrow(
      `No space is left for the data folder ${path}. Free some disk space and start again.`,
    )
    expect(existsSync(join(path, 'master-secret'))).toBe(false)
    const secret = folder.masterSecret(undefined)
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(openDataFolder(path).masterSecret(undefined)).toBe(secret)
  })
})

it('[HST-45] a data folder on a read-only file system is refused for this reason, and not for lack of permission', () => {
  const refusal = (code: string) => cannotUse('/data', Object.assign(new Error(code), { code })).message
  expect(refusal('EROFS')).toMatch(/^The data folder \/data is on a read-only file system\. Make it writable,/)
  expect(refusal('EROFS')).not.toContain('DATA_DIR')
  expect(refusal('EACCES')).toBe(
    'The data folder /data cannot be used: permission denied. Set DATA_DIR to another folder.',
  )
})

it('[HST-84] a lost master secret is not replaced while the database that needs it exists', () => {
  const path = temporaryFolder('storey-folder')
  mkdirSync(join(path, 'postgres'))
  writeFileSync(join(path, 'postgres', 'PG_VERSION'), '18')
  const folder = openDataFolder(path)
  expect(() => folder.masterSecret(undefined)).toThrow(/master-secret is missing.*Restore it from a backup/)
  expect(existsSync(join(path, 'master-secret'))).toBe(false)
  expect(folder.masterSecret('given')).toBe('given')
})

it.each(['', '\n', '0\n', '-1\n', 'storey\n'])(
  'a lock file that contains %j instead of a process id belongs to no service, and locks nothing',
  (text) => {
    const path = temporaryFolder('storey-folder')
    writeFileSync(join(path, 'storey.pid'), text)
    expect(runningService(path)).toBeUndefined()
    const folder = openDataFolder(path)
    expect(folder.runningAddress()).toBeUndefined()
    folder.lock(new URL('http://localhost:4000'))
    expect(readFileSync(join(path, 'storey.pid'), 'utf8')).toBe(`${process.pid}\nhttp://localhost:4000/\n`)
  },
)
