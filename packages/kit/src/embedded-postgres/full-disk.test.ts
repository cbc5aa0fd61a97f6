import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { fullDisk } from './full-disk.ts'
import { startEmbeddedPostgres } from './index.ts'

describe('a full disk', () => {
  const root = temporaryFolder('storey-full-disk')
  const disk = join(root, 'disk')
  mkdirSync(disk)
  for (const folder of [root, disk]) chmodSync(folder, 0o711)
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128m,mode=711', 'tmpfs', disk]).status === 0
  afterAll(() => {
    if (isMounted) spawnSync('umount', [disk])
  })

  it('is recognized by its free space', () => {
    expect(fullDisk(root, 0)).toBe('')
    expect(fullDisk(root, Number.MAX_SAFE_INTEGER)).toMatch(
      /^the disk has only \d+ MB of free space\. Free some space\. $/,
    )
  })

  describe.runIf(isMounted)('of the embedded PostgreSQL', () => {
    const folder = join(disk, 'postgres')
    const start = () => startEmbeddedPostgres({ folder, password: 'secret', log: silentLog })
    beforeAll(async () => await (await start()).stop())

    it('[HST-39] is the reported reason for a failed start, and a start after space was freed succeeds', async () => {
      const { bavail, bsize } = statfsSync(disk)
      const filling = join(disk, 'filling')
      writeFileSync(filling, Buffer.alloc(bavail * bsize))
      await expect(start()).rejects.toThrow(/^PostgreSQL could not start on .*: the disk has only 0 MB of free space\./)
      rmSync(filling)
      await (await start()).stop()
    })
  })
})
