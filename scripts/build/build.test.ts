import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtService } from './built-service.mjs'

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

describe('the build of the service', () => {
  const clone = temporaryFolder('storey-build')
  function write(path: string, text: string): void {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: clone, encoding: 'utf8', stdio: 'pipe' })
  const MAIN = 'packages/host/src/main.ts'

  it('is run until a source changes, and resolves relative paths of files as its sources do', () => {
    write('package-lock.json', '{}')
    write('packages/kit/migrations/first.sql', 'select 1')
    write(
      'packages/kit/src/text.ts',
      `import { readFileSync } from 'node:fs'
       export const text: string = readFileSync(new URL('../migrations/first.sql', import.meta.url), 'utf8')`,
    )
    write(MAIN, 'console.log((await import("../../kit/src/text.ts")).text)')
    write(
      'packages/host/src/operator/main.ts',
      'import { text } from "../../../kit/src/text.ts"; console.log("op", text)',
    )
    expect(builtService(clone, MAIN)).toBeUndefined()
    run(resolve('scripts/build/build.ts'), 'service')
    expect(run(builtService(clone, MAIN)!)).toBe('select 1\n')
    expect(run(builtService(clone, 'packages/host/src/operator/main.ts')!)).toBe('op select 1\n')
    expect(builtService(clone, 'packages/cli/src/main.ts')).toBeUndefined()
    write(MAIN, 'console.log("changed")')
    expect(builtService(clone, MAIN)).toBeUndefined()
  })

  it('is built again if a file of it is missing or empty', () => {
    const build = () => run(resolve('scripts/build/build.ts'), 'service')
    build()
    const file = builtService(clone, MAIN)!
    writeFileSync(file, '')
    build()
    expect(run(file)).toBe('changed\n')
    rmSync(file)
    build()
    expect(run(file)).toBe('changed\n')
  })

  it('refuses a source that is not listed, because a change of it would not be noticed', () => {
    write('packages/web/src/more.ts', 'export const more = 1')
    write(MAIN, 'import { more } from "../../web/src/more.ts"; console.log(more)')
    const build = () => run(resolve('scripts/build/build.ts'), 'service')
    expect(build).toThrow(/web.src.more\.ts is bundled, but is not one of the listed sources/)
  })
})
