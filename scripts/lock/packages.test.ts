import { describe, expect, it } from 'vitest'
import { completed, type Packages, violationsOf } from './packages.ts'

const TOOL = {
  version: '1.2.0',
  dev: true,
  optionalDependencies: { '@tool/linux-x64-gnu': '1.2.0', '@tool/win32-x64': '1.2.0', '@tool/freebsd-x64': '1.2.0' },
}
const LOCK: Packages = { '': {}, 'node_modules/tool': TOOL, 'node_modules/@tool/win32-x64': { version: '1.2.0' } }

describe('the lock file', () => {
  it('lists the binaries of all supported platforms', () => {
    expect(violationsOf(LOCK)).toEqual([expect.stringContaining('node_modules/@tool/linux-x64-gnu is missing')])
    const { 'node_modules/@tool/linux-x64-gnu': added, ...others } = completed(LOCK)
    expect(added).toEqual({ version: '1.2.0', cpu: ['x64'], dev: true, libc: ['glibc'], optional: true, os: ['linux'] })
    expect(others).toEqual(LOCK)
    expect(violationsOf(completed(LOCK))).toEqual([])
  })

  it('names no registry', () => {
    expect(violationsOf({ 'node_modules/a': { resolved: 'https://registry.example/a.tgz' } })).toHaveLength(1)
    expect(violationsOf({ 'node_modules/a': { resolved: 'packages/a' } })).toEqual([])
  })
})
