import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
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

/**
 * Builds a Go program whose module replaces other modules, which `go install` refuses. `dropped` are replacements by
 * folders that the published module does not contain.
 */
export function goMainModule(module: string, version: string, name: string, dropped: readonly string[] = []): string {
  const folder = cacheFolder('go', `${name}-${version}`)
  const program = join(folder, name)
  if (existsSync(program)) return program
  process.stdout.write(`Building ${module} ${version}…\n`)
  const sources = mkdtempSync(join(tmpdir(), `storey-${name}-`))
  const go = (cwd: string, ...args: string[]): string => {
    const env = { ...process.env, GOFLAGS: '-p=2' }
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
    for (const each of dropped) go(copy, 'mod', 'edit', `-dropreplace=${each}`)
    go(copy, 'build', '-mod=mod', '-o', program, '.')
  } finally {
    spawnSync('chmod', ['-R', 'u+w', sources])
    rmSync(sources, { recursive: true, force: true })
  }
  return program
}
