import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'

// Checks the architecture rules. Each violation is reported as a sentence with the fix.

/** A package may import only packages of a lower level. */
const LEVELS: Record<string, number> = {
  contract: 0,
  building: 1,
  ifc: 1,
  kit: 1,
  sdk: 1,
  identity: 2,
  web: 2,
  platform: 3,
  provisioning: 3,
  cli: 3,
  shell: 3,
  portal: 3,
  reference: 3,
  host: 4,
}

export interface SourceFile {
  /** From the repository's root, with forward slashes. */
  path: string
  text: string
}

export type Dependencies = ReadonlyMap<string, ReadonlySet<string>>

const IMPORT = /(?:\bfrom\s+|\bimport\s+|\bimport\s*\(\s*)'([^']+)'/g

export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[1]!)
}

/** `indexRule` checks only static imports: a dynamic import may bypass the index.ts of another folder. */
const STATIC_IMPORT = /(?:\bfrom\s+|\bimport\s+)'([^']+)'/g

export function violations(file: SourceFile, dependencies: Dependencies, indexed: ReadonlySet<string>): string[] {
  const [, packageName = '', ...inside] = file.path.split('/')
  const isTest = /\.test\.tsx?$|\/testing\//.test(file.path)
  const found = importsOf(file.text).flatMap((specifier) => [
    ...levelRule(packageName, specifier),
    ...packageRule(file.path, packageName, specifier),
    ...(isTest ? [] : declaredRule(packageName, specifier, dependencies)),
  ])
  if (!isTest) found.push(...environmentRule(file), ...sqlRule(file, inside.join('/')), ...indexRule(file, indexed))
  return found.map((sentence) => `${file.path}: ${sentence}`)
}

function levelRule(own: string, specifier: string): string[] {
  const other = /^@storey\/([a-z]+)/.exec(specifier)?.[1]
  if (other === undefined || other === own) return []
  const [mine, theirs] = [LEVELS[own], LEVELS[other]]
  if (mine === undefined || theirs === undefined)
    return [`${own} or ${other} has no level: give every package one in scripts/architecture.ts`]
  if (theirs < mine) return []
  return [
    `${own} (level ${mine}) may not import ${other} (level ${theirs}): move what both need to a lower level, or pass it in`,
  ]
}

function packageRule(path: string, own: string, specifier: string): string[] {
  if (!specifier.startsWith('.')) return []
  const target = posix.normalize(posix.join(posix.dirname(path), specifier))
  if (target.startsWith(`packages/${own}/`)) return []
  return [`"${specifier}" is a file of another package: import it by the package's name`]
}

/** `indexed`: the folders that have an index.ts. */
function indexRule({ path, text }: SourceFile, indexed: ReadonlySet<string>): string[] {
  return [...text.matchAll(STATIC_IMPORT)].flatMap(([, specifier]) => {
    if (!specifier!.startsWith('.')) return []
    const target = posix.join(posix.dirname(path), specifier!)
    const folder = foldersOf(target).find((one) => indexed.has(one) && !path.startsWith(`${one}/`))
    if (folder === undefined || target === `${folder}/index.ts`) return []
    return [`"${specifier}" bypasses the index of ${posix.basename(folder)}: import it from there, or pass it in`]
  })
}

/** The folders of a path, outermost first. */
function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'))
}

/** Import cycles, type-only imports included. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  const imports = new Map(
    files.map(({ path, text }) => {
      const relative = importsOf(text).filter((specifier) => specifier.startsWith('.'))
      return [path, relative.map((specifier) => posix.join(posix.dirname(path), specifier))]
    }),
  )
  return [...imports.keys()].flatMap((start) => {
    const cycle = shortestCycle(start, imports)
    // A cycle is reported once, from the first of its files.
    return cycle?.every((path) => start <= path) ? [cycle] : []
  })
}

/** The shortest import cycle that contains the file. */
function shortestCycle(start: string, imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const paths = [[start]]
  const seen = new Set<string>()
  for (const path of paths) {
    for (const next of imports.get(path.at(-1)!) ?? []) {
      if (next === start) return path
      if (seen.has(next) || !imports.has(next)) continue
      seen.add(next)
      paths.push([...path, next])
    }
  }
  return undefined
}

function declaredRule(own: string, specifier: string, dependencies: Dependencies): string[] {
  if (/^[.#]|^node:/.test(specifier)) return []
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  if (name === `@storey/${own}` || dependencies.get(own)?.has(name)) return []
  return [`${name} is not declared: add it to packages/${own}/package.json`]
}

function environmentRule({ path, text }: SourceFile): string[] {
  if (/\/main\.ts$/.test(path) || !text.includes('process.env')) return []
  return ['only a main.ts reads process.env: take the setting as a parameter']
}

function sqlRule({ path, text }: SourceFile, inside: string): string[] {
  if (path.endsWith('.store.ts') || inside.startsWith('src/database/') || !/\bsql`/.test(text)) return []
  return ['SQL belongs in a named function of a *.store.ts file']
}

/** Build output, dependencies, and templates of other projects. */
const IGNORED_FOLDERS = new Set(['node_modules', 'dist', 'templates'])

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* IGNORED_FOLDERS.has(entry.name) ? [] : sourceFiles(path)
    else if (/\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')) yield path
  }
}

/** Finds gaps and duplicates in the numbers of migrations: two people may have used the same number. */
export function migrationViolations(names: readonly string[]): string[] {
  return names.toSorted().flatMap((name, i) => {
    const expected = String(i + 1).padStart(4, '0')
    return name.startsWith(`${expected}-`) ? [] : [`${name} should have the number ${expected}`]
  })
}

function migrationsOf(packageName: string): string[] {
  const folder = join('packages', packageName, 'migrations')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sql')) : []
  return migrationViolations(names).map((sentence) => `packages/${packageName}/migrations: ${sentence}`)
}

function main(): void {
  const dependencies: Dependencies = new Map(
    readdirSync('packages').map((name) => {
      const manifest = JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8'))
      const { dependencies, optionalDependencies, peerDependencies, devDependencies } = manifest
      // A package lists under devDependencies the packages that are bundled into it.
      const all = { ...dependencies, ...optionalDependencies, ...peerDependencies, ...devDependencies }
      return [name, new Set(Object.keys(all))]
    }),
  )
  const files = [...sourceFiles('packages')].map((path) => relative('.', path).replaceAll('\\', '/'))
  const sources = files.map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  const indexes = files.filter((path) => path.endsWith('/index.ts')).map((path) => posix.dirname(path))
  const indexed = new Set(indexes.filter((folder) => !folder.endsWith('/src')))
  const found = [
    ...sources.flatMap((source) => violations(source, dependencies, indexed)),
    ...readdirSync('packages').flatMap(migrationsOf),
    ...importCycles(sources).map(
      (cycle) => `${cycle.join(' → ')} → ${cycle[0]}: an import cycle; move what they share to a file that both import`,
    ),
  ]
  for (const sentence of found) process.stderr.write(`${sentence}\n`)
  if (found.length > 0) process.exit(1)
  process.stdout.write(`architecture: ${files.length} files follow the rules\n`)
}

if (import.meta.main) main()
