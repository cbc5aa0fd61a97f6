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

export function violations(file: SourceFile, dependencies: Dependencies, indexed: ReadonlySet<string>): string[] {
  const [, packageName = '', ...inside] = file.path.split('/')
  // Tests may import past an index, and use SQL, the environment and undeclared packages. A test file may also import its
  // own package by name, as its users do: nothing imports a test file, so no cycle can contain it.
  const isTest = /\.test\.tsx?$|\/testing\//.test(file.path)
  const isTestFile = /\.test\.tsx?$/.test(file.path)
  const found = importsOf(file.text).flatMap((specifier) => [
    ...levelRule(packageName, specifier),
    ...packageRule(file.path, packageName, specifier),
    ...(isTestFile ? [] : ownNameRule(packageName, specifier)),
    ...(isTest ? [] : declaredRule(packageName, specifier, dependencies)),
  ])
  if (!isTest)
    found.push(
      ...environmentRule(file),
      ...connectionRule(file),
      ...sqlRule(file, inside.join('/')),
      ...indexRule(file, indexed),
      ...timerRule(file, packageName),
    )
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

/** The rules of indexes and cycles follow relative imports only. */
function ownNameRule(own: string, specifier: string): string[] {
  if (specifier !== `@storey/${own}` && !specifier.startsWith(`@storey/${own}/`)) return []
  return [`"${specifier}" is this package itself: import the file by its relative path`]
}

/** `indexed`: the folders that have an index.ts. Dynamic imports and types such as `import('…').X` are checked too. */
function indexRule({ path, text }: SourceFile, indexed: ReadonlySet<string>): string[] {
  return importsOf(text).flatMap((specifier) => {
    if (!specifier.startsWith('.')) return []
    const target = posix.join(posix.dirname(path), specifier)
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
  // An import of the package itself has a rule of its own.
  if (name === `@storey/${own}` || dependencies.get(own)?.has(name)) return []
  return [`${name} is not declared: add it to packages/${own}/package.json`]
}

function environmentRule({ path, text }: SourceFile): string[] {
  if (/\/main\.ts$/.test(path) || !text.includes('process.env')) return []
  return ['only a main.ts reads process.env: take the setting as a parameter']
}

/**
 * The only files that open connections to PostgreSQL. They set the time limits of every connection, except the embedded
 * server, whose connection sends no statement: it only finds out whether the server accepts connections.
 */
const CONNECTING = new Set([
  'packages/kit/src/database/database.ts',
  'packages/kit/src/database/dedicated-client.ts',
  'packages/kit/src/embedded-postgres/index.ts',
])

function connectionRule({ path, text }: SourceFile): string[] {
  if (CONNECTING.has(path) || !/\bnew pg\.(?:Client|Pool)\b/.test(text)) return []
  return ['only openDatabase and openDedicatedClient open connections, because they set time limits: call one of them']
}

function sqlRule({ path, text }: SourceFile, inside: string): string[] {
  if (path.endsWith('.store.ts') || inside.startsWith('src/database/') || !/\bsql`/.test(text)) return []
  return ['SQL belongs in a named function of a *.store.ts file']
}

/** The files with a timer that need not be a loop, and why. ADR 32 describes each of them. */
export const TIMERS: Readonly<Record<string, string>> = {
  'packages/host/src/service.ts': 'looks whether a folder exists',
  'packages/ifc/src/process/guard.ts': 'is the only work of its process',
  'packages/kit/src/database/dedicated-client.ts': 'looks whether a connection is alive; its owner opens the next one',
  'packages/kit/src/outbound/connections.ts': 'closes idle connections',
  'packages/platform/src/commands/control-channel.ts': 'writes a heartbeat',
  'packages/platform/src/direct-ingest/direct-ingest.ts': 'checks and reports open connections',
  'packages/platform/src/program.ts': 'marks a folder once an hour; a failure has no effect',
  'packages/provisioning/src/gateway/end-when-read.ts': 'is a part of one request',
  'packages/provisioning/src/stacks/lent-connections.ts': 'compares times',
  'packages/provisioning/src/stacks/stack-capacity.ts': 'serves a queue in memory',
}

/** The web apps and the tool redraw a page or a line. They do not run in the service, and report no metrics. */
const SHOWN_TO_PEOPLE = new Set(['cli', 'portal', 'shell', 'web'])

function timerRule({ path, text }: SourceFile, packageName: string): string[] {
  const isListed = path in TIMERS
  if (SHOWN_TO_PEOPLE.has(packageName) || /\bsetInterval\b/.test(text) === isListed) return []
  return isListed
    ? ['has no timer any more: remove it from TIMERS in scripts/architecture.ts, and from ADR 32']
    : ['setInterval can run work twice at a time: use createLoop of @storey/kit/background (ADR 32)']
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
