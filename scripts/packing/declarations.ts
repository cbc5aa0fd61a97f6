import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const RELATIVE = /((?:from|import\()\s*')(\.[^']*)\.ts(')/g

/**
 * Writes into `dist` the type declarations that the entries use. Fails if one of them imports an unpublished package.
 */
export function declarations(folder: string, entries: readonly string[]): void {
  const dist = resolve(folder, 'dist')
  emit(folder, entries, dist)
  const reached = new Set<string>()
  const waiting = entries.map((entry) => join(dist, entry.replace(/^src\//, '').replace(/\.ts$/, '.d.ts')))
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    const text = readFileSync(file, 'utf8')
    if (/['"](@storey\/|#)/.test(text)) throw new Error(`${file} imports a package that is not published`)
    for (const [, , path] of text.matchAll(RELATIVE)) waiting.push(join(dirname(file), `${path}.d.ts`))
    writeFileSync(file, text.replace(RELATIVE, '$1$2.js$3'))
  }
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file)
  }
}

function emit(folder: string, entries: readonly string[], outDir: string): void {
  const work = mkdtempSync(join(tmpdir(), 'storey-types-'))
  const project = join(work, 'tsconfig.json')
  const root = resolve('.')
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      rootDir: resolve(folder, 'src'),
      outDir,
      typeRoots: [join(root, 'node_modules', '@types')],
    },
    include: [],
    files: entries.map((entry) => resolve(folder, entry)),
  }
  writeFileSync(project, JSON.stringify(options))
  const compiler = join('node_modules', '.bin', 'tsc')
  const { status, stdout } = spawnSync(compiler, ['-p', project], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  rmSync(work, { recursive: true })
  if (status !== 0 || !existsSync(outDir)) throw new Error(`the types could not be written:\n${stdout}`)
}
