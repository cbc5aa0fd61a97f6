import { describe, expect, it } from 'vitest'
import { type Lock, moduleLockViolations, projectEntry, SDK, type Sources, sdkEntry } from './module-lock.ts'
import type { Packages } from './packages.ts'

const SOURCES: Sources = {
  manifest: { name: 'module', scripts: { dev: 'vite' }, dependencies: { react: '^19.0.0' } },
  sdk: { name: '@storey/sdk', version: '1.2.0', dependencies: { socket: '^4.0.0' } },
  repository: { '': { version: '1.2.0' }, 'node_modules/react': { version: '19.1.0' } },
}
const lockWith = (more: Packages, sources = SOURCES): Lock => ({
  packages: { '': projectEntry(sources), [SDK]: sdkEntry(sources), ...more },
})
const REACT = { 'node_modules/react': { version: '19.1.0' } }

describe('the lock file of the module template', () => {
  it('has the dependencies of the template and of the SDK', () => {
    const lock = lockWith(REACT)
    expect(moduleLockViolations(lock, SOURCES)).toEqual([])
    const manifest = { ...SOURCES.manifest, dependencies: { react: '^20.0.0' } }
    expect(moduleLockViolations(lock, { ...SOURCES, manifest })).toEqual([
      expect.stringContaining('module/package.json'),
    ])
    const sdk = { ...SOURCES.sdk, version: '1.3.0' }
    expect(moduleLockViolations(lock, { ...SOURCES, sdk })).toEqual([expect.stringContaining('sdk/package.json')])
  })

  it("has the repository's version of a package, unless a range excludes it", () => {
    const newer = lockWith({ 'node_modules/react': { version: '19.2.0' } })
    expect(moduleLockViolations(newer, SOURCES)).toEqual([expect.stringContaining('has another version of react')])
    const manifest = { ...SOURCES.manifest, dependencies: { react: '^19.2.0' } }
    const strict = { ...SOURCES, manifest }
    expect(moduleLockViolations(lockWith({ 'node_modules/react': { version: '19.2.0' } }, strict), strict)).toEqual([])
  })

  it('lists the binaries of every platform, and names no registry', () => {
    const tool = { version: '1.0.0', optionalDependencies: { '@tool/linux-x64-musl': '1.0.0' } }
    const lock = lockWith({ ...REACT, 'node_modules/tool': { ...tool, resolved: 'https://registry.example/tool.tgz' } })
    expect(moduleLockViolations(lock, SOURCES)).toEqual([
      expect.stringContaining('names a registry'),
      expect.stringContaining('linux-x64-musl is missing'),
    ])
  })
})
