import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, EngineMissing } from './cache.ts'

/** Installs packages of PyPI into an environment of their own in the cache, and returns the path of one of its programs. */
export function pythonProgram(name: string, packages: readonly string[]): string {
  const folder = cacheFolder('python', packages.join('_').replaceAll(/[^\w.-]+/g, '-'))
  const environment = join(folder, 'environment')
  const program = join(environment, 'bin', name)
  if (existsSync(join(folder, 'done'))) return program
  process.stdout.write(`Fetching ${packages.join(', ')} with pip…\n`)
  run('python3', ['-m', 'venv', '--clear', environment])
  run(join(environment, 'bin', 'python'), [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...packages,
  ])
  writeFileSync(join(folder, 'done'), '')
  return program
}

function run(program: string, args: string[]): void {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (error !== undefined) throw new EngineMissing('python3 is required, but it is not on the PATH')
  if (status !== 0) throw new EngineMissing(`${program} ${args.slice(0, 3).join(' ')} failed: ${stderr.trim()}`)
}
