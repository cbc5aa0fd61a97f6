import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npmEnvironment } from '../../packages/cli/src/commands/module/project/npm-environment.mjs'
import { type Lock, MODULE_LOCK, projectEntry, readSources, SDK, type Sources, sdkEntry } from './module-lock.ts'
import { completed, EVERY, type Packages } from './packages.ts'

const SDK_FILE = 'file:sdk.tgz'
const NPM = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/**
 * Writes the lock file of the module template. npm keeps the locked versions that fit. So npm gets a lock file with the
 * versions of the repository; packages that the repository does not have keep their versions of the existing file.
 */
export function writeModuleLock(): void {
  const sources = readSources()
  const last: Lock = existsSync(MODULE_LOCK) ? JSON.parse(readFileSync(MODULE_LOCK, 'utf8')) : { packages: {} }
  const work = mkdtempSync(join(tmpdir(), 'storey-module-lock-'))
  try {
    const file = join(work, 'package-lock.json')
    const project = withSdkFile(projectEntry(sources))
    writeFileSync(join(work, 'package.json'), JSON.stringify(project))
    writeFileSync(join(work, '.npmrc'), readFileSync('.npmrc'))
    writeFileSync(file, JSON.stringify({ lockfileVersion: 3, packages: startingWith(project, sources, last) }))
    for (const command of ['install', 'dedupe']) runNpm(work, command)
    const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock
    const packages = { ...completed(lock.packages, EVERY), '': projectEntry(sources), [SDK]: sdkEntry(sources) }
    writeFileSync(MODULE_LOCK, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
  } finally {
    rmSync(work, { recursive: true })
  }
}

function withSdkFile(project: Record<string, unknown>): Record<string, unknown> {
  const dependencies = project.dependencies as Record<string, string>
  return { ...project, dependencies: { ...dependencies, '@storey/sdk': SDK_FILE } }
}

function startingWith(project: object, sources: Sources, last: Lock): Packages {
  const shared = Object.entries(sources.repository).filter(
    ([place, { link }]) => place.startsWith('node_modules/') && link !== true,
  )
  return {
    ...last.packages,
    ...Object.fromEntries(shared),
    '': project,
    [SDK]: { ...sdkEntry(sources), resolved: SDK_FILE },
  }
}

function runNpm(cwd: string, command: string): void {
  const { status } = spawnSync('npm', [command, ...NPM], {
    cwd,
    stdio: ['ignore', 'ignore', 2],
    env: npmEnvironment(process.env),
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`${MODULE_LOCK} could not be written: see the output of npm above`)
}
