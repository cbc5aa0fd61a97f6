import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cacheFolder, EngineMissing } from './cache.ts'

/** Builds a Go program into the cache and returns its path. */
export function goProgram(module: string, version: string, name = basename(module)): string {
  const folder = cacheFolder('go', `${name}-${version}`)
  const program = join(folder, name)
  if (existsSync(program)) return program
  process.stdout.write(`Building ${module} ${version}…\n`)
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-p=2' }
  const { error, status, stderr } = spawnSync('go', ['install', `${module}@${version}`], { env, encoding: 'utf8' })
  if (error !== undefined) throw new EngineMissing(`go is required to build ${name}, but it is not on the PATH`)
  if (status !== 0) throw new EngineMissing(`${name} could not be built: ${stderr.trim()}`)
  return program
}
