import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

describe('making a folder', () => {
  it('makes those above it, and takes one that is there', async () => {
    const root = mkdtempSync(join(tmpdir(), 'svc-folder-'))
    const deep = join(root, 'a', 'b', 'c')
    await Promise.all([makeFolder(deep, 0o700), makeFolder(deep, 0o700)])
    await makeFolder(deep)
    expect(statSync(deep).mode & 0o777).toBe(0o700)
  })

  it('says so where a file is in the way', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'svc-folder-')), 'file')
    writeFileSync(file, '')
    for (const path of [file, join(file, 'x'), join(file, 'x', 'y')]) {
      await expect(makeFolder(path)).rejects.toMatchObject({ code: 'ENOTDIR' })
    }
  })

  // The recursive mkdir of Node goes on for ever there.
  it('ends where the system answers that nothing can be there', async () => {
    await expect(makeFolder('/proc/x/y')).rejects.toMatchObject({ code: expect.stringMatching(/^E/) })
  })
})
