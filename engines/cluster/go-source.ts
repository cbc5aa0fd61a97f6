import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder, EngineMissing } from '../fetch/cache.ts'

/** Builds a static program from one file of Go that uses only the standard library. */
export function goFromSource(name: string, source: string): string {
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 12)
  const program = join(cacheFolder('go', `${name}-${digest}`), name)
  if (existsSync(program)) return program
  const folder = mkdtempSync(join(tmpdir(), `storey-${name}-`))
  try {
    writeFileSync(join(folder, 'main.go'), source)
    const env = { ...process.env, GOWORK: 'off', CGO_ENABLED: '0', GO111MODULE: 'off' }
    const args = ['build', '-ldflags', '-s -w', '-o', program, 'main.go']
    const { error, status, stderr } = spawnSync('go', args, { cwd: folder, env, encoding: 'utf8' })
    if (error !== undefined) throw new EngineMissing(`go is required to build ${name}, but it is not on the PATH`)
    if (status !== 0) throw new EngineMissing(`${name} could not be built: ${stderr.trim()}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return program
}
