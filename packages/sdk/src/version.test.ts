import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SDK_VERSION } from './version.ts'

const root = new URL('../../../', import.meta.url)
const versionOf = (path: string): string =>
  JSON.parse(readFileSync(new URL(`${path}package.json`, root), 'utf8')).version

describe('the version', () => {
  it('[VER-02] is the same for all packages, and at least 1.14.0', () => {
    const packages = readdirSync(new URL('packages/', root)).map((name) => `packages/${name}/`)
    expect(new Set(['', ...packages].map(versionOf))).toEqual(new Set([SDK_VERSION]))
    const [major = 0, minor = 0] = SDK_VERSION.split('.').map(Number)
    expect(major > 1 || (major === 1 && minor >= 14)).toBe(true)
  })
})
