import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDataFolder } from './data-folder.ts'

/** Writing to this device fails as on a full disk. Do not read it, because it never ends. */
const FULL = '/dev/full'

describe.runIf(existsSync(FULL))('a data folder on a full disk', () => {
  let path: string
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'storey-folder-'))
  })
  afterEach(() => rmSync(path, { recursive: true }))

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
