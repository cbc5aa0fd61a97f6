import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { openDataFolder } from './data-folder.ts'

/** Writing to this device fails as on a full disk. Do not read it, because it never ends. */
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
