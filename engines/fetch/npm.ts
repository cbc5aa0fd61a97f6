import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, EngineMissing } from './cache.ts'

/** Installs an npm package of this version into the cache and returns its folder. */
export function npmPackage(name: string, version: string): string {
  const folder = cacheFolder('npm', `${name.replaceAll('/', '_')}-${version}`)
  const installed = join(folder, 'node_modules', name)
  if (existsSync(join(folder, 'done'))) return installed
  process.stdout.write(`Fetching ${name} ${version} with npm…\n`)
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts=false', `${name}@${version}`]
  const { error, status, stderr } = spawnSync('npm', ['--prefix', folder, ...args], { encoding: 'utf8' })
  if (error !== undefined || status !== 0)
    throw new EngineMissing(`npm could not fetch ${name} ${version}: ${(error?.message ?? stderr).trim()}`)
  writeFileSync(join(folder, 'done'), '')
  return installed
}
