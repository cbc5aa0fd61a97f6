import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { cacheFolder, EngineMissing } from './cache.ts'

/** Without the C library a program is static: it runs in an image that has no other file. */
const STATIC = { CGO_ENABLED: '0' }

/** Builds a Go program into the cache and returns its path. */
export function goProgram(module: string, version: string, name = basename(module)): string {
  const folder = cacheFolder('go', `${name}-${version}`)
  const program = join(folder, name)
  if (existsSync(program)) return program
  process.stdout.write(`Building ${module} ${version}…\n`)
  const env = { ...process.env, ...STATIC, GOBIN: folder, GOFLAGS: '-p=2' }
  const { error, status, stderr } = spawnSync('go', ['install', `${module}@${version}`], { env, encoding: 'utf8' })
  if (error !== undefined) throw new EngineMissing(`go is required to build ${name}, but it is not on the PATH`)
  if (status !== 0) throw new EngineMissing(`${name} could not be built: ${stderr.trim()}`)
  return program
}

export interface MainModuleOptions {
  /** Modules whose `replace` directive is removed: the directive names a folder that the published module lacks. */
  dropped?: readonly string[]
  /** The folder of the program in the module. */
  program?: string
  /** Values of variables that the linker sets, such as the version. */
  variables?: Record<string, string>
}

/** Builds a Go program whose module replaces other modules, which `go install` refuses. */
export function goMainModule(
  module: string,
  version: string,
  name: string,
  { dropped = [], program: path = '.', variables = {} }: MainModuleOptions = {},
): string {
  const folder = cacheFolder('go', `${name}-${version}`)
  const program = join(folder, name)
  if (existsSync(program)) return program
  process.stdout.write(`Building ${module} ${version}…\n`)
  const sources = mkdtempSync(join(tmpdir(), `storey-${name}-`))
  const go = (cwd: string, ...args: string[]): string => {
    const env = { ...process.env, ...STATIC, GOFLAGS: '-p=2 -buildvcs=false -trimpath', GOWORK: 'off' }
    const { error, status, stdout, stderr } = spawnSync('go', args, { cwd, env, encoding: 'utf8' })
    if (error !== undefined) throw new EngineMissing(`go is required to build ${name}, but it is not on the PATH`)
    if (status !== 0) throw new EngineMissing(`${name} could not be built: ${stderr.trim()}`)
    return stdout
  }
  try {
    const { Dir } = JSON.parse(go(sources, 'mod', 'download', '-json', `${module}@${version}`)) as { Dir: string }
    const copy = join(sources, 'module')
    cpSync(Dir, copy, { recursive: true })
    // Go's cache is read-only, and so is the copy.
    for (const file of ['go.mod', 'go.sum', '.']) chmodSync(join(copy, file), file === '.' ? 0o755 : 0o644)
    const values = Object.entries(variables).map(([variable, value]) => `-X ${variable}=${value}`)
    for (const each of dropped) go(copy, 'mod', 'edit', `-dropreplace=${each}`)
    const part = `${program}.part`
    go(copy, 'build', '-mod=mod', '-ldflags', ['-s', '-w', ...values].join(' '), '-o', part, path)
    renameSync(part, program)
  } finally {
    spawnSync('chmod', ['-R', 'u+w', sources])
    rmSync(sources, { recursive: true, force: true })
  }
  return program
}

/** The folder of a Go module in Go's own cache. */
export function goModule(module: string, version: string): string {
  const args = ['mod', 'download', '-json', `${module}@${version}`]
  const { error, status, stdout } = spawnSync('go', args, { cwd: tmpdir(), encoding: 'utf8' })
  if (error !== undefined) throw new EngineMissing(`go is required to fetch ${module}, but it is not on the PATH`)
  if (status !== 0) throw new EngineMissing(`${module} ${version} could not be fetched: ${stdout.trim()}`)
  return (JSON.parse(stdout) as { Dir: string }).Dir
}
