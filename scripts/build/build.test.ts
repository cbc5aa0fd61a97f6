import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { beforeAll, describe, expect, it } from 'vitest'

const DAYS_AGO = new Date(Date.now() - 3 * 24 * 3_600_000)
const builds = 'packages/platform/dist'

describe('the build of the stack program', () => {
  let clone: string
  beforeAll(() => {
    clone = temporaryFolder('storey-build')
    write('package-lock.json', '{}')
    write('packages/platform/migrations/0001-first.sql', 'select 1')
    write('packages/platform/src/lazy.ts', 'export const text: string = "first"')
    write('packages/platform/src/main.ts', 'console.log((await import("./lazy.ts")).text)')
    write('packages/platform/src/features/telemetry/compaction/thread.ts', 'console.log("thread")')
    write('packages/platform/src/features/simulation/thread.ts', 'console.log("thread")')
  })

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  function build(): string {
    execFileSync(process.execPath, [resolve('scripts/build/build.ts'), 'stack'], {
      cwd: clone,
      stdio: 'pipe',
      timeout: 20_000,
    })
    return readFileSync(join(clone, builds, 'current'), 'utf8')
  }
  const printed = (name: string) =>
    execFileSync(process.execPath, [join(clone, builds, name, 'program/main.js')], { encoding: 'utf8' }).trim()
  const migrationsOf = (name: string) => readdirSync(join(clone, builds, name, 'migrations'))

  it('leaves the previous build as it was, with its migrations, however old it is', () => {
    const first = build()
    utimesSync(join(clone, builds, first), DAYS_AGO, DAYS_AGO)
    write('packages/platform/src/lazy.ts', 'export const text: string = "second"')
    write('packages/platform/migrations/0002-second.sql', 'select 2')
    const second = build()
    expect([printed(first), printed(second)]).toEqual(['first', 'second'])
    expect([migrationsOf(first).length, migrationsOf(second).length]).toEqual([1, 2])
  })

  it('removes a build that nobody has used for a day', () => {
    const second = build()
    write('packages/platform/src/lazy.ts', 'export const text: string = "third"')
    const third = build()
    utimesSync(join(clone, builds, second), DAYS_AGO, DAYS_AGO)
    write('packages/platform/src/lazy.ts', 'export const text: string = "fourth"')
    const names = [build(), third]
    expect(readdirSync(join(clone, builds)).filter((name) => name !== 'current')).toEqual(expect.arrayContaining(names))
    expect(readdirSync(join(clone, builds))).not.toContain(second)
  })

  it('neither waits nor writes when nothing has changed', () => {
    const current = build()
    write('.storey-building', String(process.pid))
    expect(build()).toBe(current)
  })
})
