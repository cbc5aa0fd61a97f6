import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { removeTemporaryFolder, removeTemporaryFolders, temporaryFolder } from './temporary-folder.ts'

/** Set by the first suite, and read by the second. */
let left: string

describe('a temporary folder', () => {
  it('is a new folder at each call, and is removed with its content', () => {
    const folders = [temporaryFolder('storey-twice'), temporaryFolder('storey-twice')]
    expect(new Set(folders).size).toBe(2)
    for (const folder of folders) writeFileSync(join(folder, 'file'), 'content')
    removeTemporaryFolders()
    expect(folders.filter((folder) => existsSync(folder))).toEqual([])
  })

  it('is removed even if a folder in it is read-only', () => {
    const folder = temporaryFolder('storey-read-only')
    mkdirSync(join(folder, 'config'))
    writeFileSync(join(folder, 'config', 'file'), 'content')
    chmodSync(join(folder, 'config'), 0o500)
    removeTemporaryFolders()
    expect(existsSync(folder)).toBe(false)
  })

  it('is removed without a change to the target of a link in it', () => {
    const outside = temporaryFolder('storey-outside')
    mkdirSync(join(outside, 'program', 'code'), { recursive: true, mode: 0o755 })
    const folder = temporaryFolder('storey-link')
    symlinkSync(join(outside, 'program'), join(folder, 'link'), 'junction')
    removeTemporaryFolder(folder)
    expect(existsSync(folder)).toBe(false)
    expect(statSync(join(outside, 'program', 'code')).mode & 0o777).toBe(0o755)
  })

  it('can be left for a later test of the file', () => {
    left = temporaryFolder('storey-left')
  })
})

describe('a later test of the file', () => {
  it('still finds the folder of an earlier test', () => {
    expect(existsSync(left)).toBe(true)
  })
})
