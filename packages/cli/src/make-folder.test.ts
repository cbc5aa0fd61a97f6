import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

describe('creating a folder', () => {
  it('creates its parents too, and accepts a folder that exists', async () => {
    const root = temporaryFolder('svc-folder')
    const deep = join(root, 'a', 'b', 'c')
    await Promise.all([makeFolder(deep, 0o700), makeFolder(deep, 0o700)])
    await makeFolder(deep)
    expect(statSync(deep).mode & 0o777).toBe(0o700)
  })

  it('reports a file in the place of the folder or of a parent folder', async () => {
    const file = join(temporaryFolder('svc-folder'), 'file')
    writeFileSync(file, '')
    for (const path of [file, join(file, 'x'), join(file, 'x', 'y')]) {
      await expect(makeFolder(path)).rejects.toMatchObject({ code: 'ENOTDIR' })
    }
  })

  // In /proc Node's recursive mkdir never returns.
  it('fails where the system cannot create a folder', async () => {
    await expect(makeFolder('/proc/x/y')).rejects.toMatchObject({ code: expect.stringMatching(/^E/) })
  })
})
