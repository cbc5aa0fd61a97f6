import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const SOURCES = ['packages/cli/templates/module', 'packages/sdk/src', 'packages/sdk/package.json']
export const TEMPLATE_SLUG = 'air-quality'

/** The build of a module as `svc module create` makes it. Made once for its sources. */
export async function templateModule(): Promise<string> {
  const cache = resolve('node_modules', '.cache', 'template-module')
  const folder = join(cache, fingerprint())
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, 'making-'))
  // Not the runner's own: a build under a test is another build.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_prefer_offline: 'true' }
  const tool = resolve('packages', 'cli', 'src', 'main.ts')
  await run(process.execPath, [tool, 'module', 'create', TEMPLATE_SLUG, '--name=Air quality'], { cwd: work, env })
  const project = join(work, TEMPLATE_SLUG)
  await run('npm', ['run', 'build'], { cwd: project, env })
  for (const old of readdirSync(cache).filter((name) => !name.startsWith('making-'))) {
    rmSync(join(cache, old), { recursive: true, force: true })
  }
  renameSync(join(project, 'dist'), folder)
  rmSync(work, { recursive: true, force: true })
  return folder
}

function fingerprint(): string {
  const hash = createHash('sha256')
  const add = (path: string): void => {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) if (name !== 'node_modules' && name !== 'dist') add(join(path, name))
    } else if (!/\.test\.tsx?$/.test(path)) hash.update(`${path}\0`).update(readFileSync(path))
  }
  for (const path of SOURCES) add(path)
  return hash.digest('hex').slice(0, 20)
}
