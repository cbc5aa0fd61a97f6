import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'

/** The rules of the house. Each broken one is a sentence that says what to do instead. */

/** Arrows run downward only. */
const FLOORS: Record<string, number> = {
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

export function complaints(file: SourceFile, dependencies: Dependencies): string[] {
  const [, packageName = '', ...inside] = file.path.split('/')
  const isTest = /\.test\.tsx?$|\/testing\//.test(file.path)
  const found = importsOf(file.text).flatMap((specifier) => [
    ...floorRule(packageName, specifier),
    ...wallRule(file.path, packageName, specifier),
    ...featureRule(file.path, specifier),
    ...(isTest ? [] : declaredRule(packageName, specifier, dependencies)),
  ])
  if (!isTest) found.push(...environmentRule(file), ...sqlRule(file, inside.join('/')))
  return found.map((sentence) => `${file.path}: ${sentence}`)
}

function floorRule(own: string, specifier: string): string[] {
  const other = /^@storey\/([a-z]+)/.exec(specifier)?.[1]
  if (other === undefined || other === own) return []
  const [mine, theirs] = [FLOORS[own], FLOORS[other]]
  if (mine === undefined || theirs === undefined)
    return [`the package ${other} has no floor: give it one in scripts/architecture.ts`]
  if (theirs < mine) return []
  return [
    `${own} (floor ${mine}) may not import ${other} (floor ${theirs}): move what both need to a lower floor, or pass it in`,
  ]
}

function wallRule(path: string, own: string, specifier: string): string[] {
  if (!specifier.startsWith('.')) return []
  const target = posix.normalize(posix.join(posix.dirname(path), specifier))
  if (target.startsWith(`packages/${own}/`)) return []
  return [`"${specifier}" reaches through the wall of the package: import it by its package's name`]
}

function featureRule(path: string, specifier: string): string[] {
  const own = /\/features\/([^/]+)\//.exec(path)?.[1]
  if (own === undefined || !specifier.startsWith('.')) return []
  const other = /\/features\/([^/]+)\//.exec(posix.join(posix.dirname(path), specifier))?.[1]
  if (other === undefined || other === own) return []
  return [`the feature ${own} may not import the inside of ${other}: take a function as a parameter, or hear an event`]
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
  return ['the environment is read in one place: take the setting as a parameter']
}

function sqlRule({ path, text }: SourceFile, inside: string): string[] {
  if (path.endsWith('.store.ts') || inside.startsWith('src/database/') || !/\bsql`/.test(text)) return []
  return ['SQL belongs into a named function of a *.store.ts file']
}

/** What is made, and what becomes somebody else's project. */
const NOT_OURS = new Set(['node_modules', 'dist', 'templates'])

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* NOT_OURS.has(entry.name) ? [] : sourceFiles(path)
    else if (/\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')) yield path
  }
}

function main(): void {
  const dependencies: Dependencies = new Map(
    readdirSync('packages').map((name) => {
      const manifest = JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8'))
      const { dependencies, optionalDependencies, peerDependencies, devDependencies } = manifest
      // A package that is bundled names what goes into the bundle as needed for its making only.
      const all = { ...dependencies, ...optionalDependencies, ...peerDependencies, ...devDependencies }
      return [name, new Set(Object.keys(all))]
    }),
  )
  const files = [...sourceFiles('packages')].map((path) => relative('.', path).replaceAll('\\', '/'))
  const found = files.flatMap((path) => complaints({ path, text: readFileSync(path, 'utf8') }, dependencies))
  for (const sentence of found) process.stderr.write(`${sentence}\n`)
  if (found.length > 0) process.exit(1)
  process.stdout.write(`architecture: ${files.length} files keep the rules of the house\n`)
}

if (import.meta.main) main()
