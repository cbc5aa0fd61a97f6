import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join, normalize, relative, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { buildName } from './hash-of-sources.mjs'
import type { Build } from './if-changed.ts'

/** A program that is bundled, so that a process loads a few files instead of more than a thousand. */
export interface Program {
  name: string
  /** The package whose folder `dist` has the builds. */
  package: string
  /** The folder of the built files, relative to the folder of a build. */
  place: string
  /** The files and folders that the build depends on. */
  sources: readonly string[]
  /** Files that are started as a process or a thread, by the name of the built file. */
  entries: Record<string, string>
  /** Packages that are not bundled. */
  external: readonly string[]
  plugins: readonly Plugin[]
  /** Adds further files to the folder of a build. */
  complete?(folder: string): void
}

const KEPT_MS = 24 * 3_600_000

/**
 * Bundles a program. Each build has its own folder, which never changes, so that a running service keeps starting
 * processes of the build it began with. The file `current` has the name of the newest build's folder.
 */
export function programBuild(program: Program): Build {
  const builds = join('packages', program.package, 'dist')
  const currentFile = join(builds, 'current')
  const name = buildName(program.sources)
  const folder = join(builds, name)
  const current = existsSync(currentFile) ? readFileSync(currentFile, 'utf8') : undefined
  return {
    name: program.name,
    isDue: current !== name || !isWhole(folder),
    async run() {
      if (!isWhole(folder)) await bundle(program, folder)
      if (current !== undefined && current !== name) touch(join(builds, current))
      writeFileSync(`${currentFile}.draft`, name)
      renameSync(`${currentFile}.draft`, currentFile)
      removeOlderBuilds(builds, name)
    },
  }
}

/** Writes into a draft folder and renames it at the end, so that an existing build is always complete. */
async function bundle(
  { place, entries, external, plugins, sources, complete }: Program,
  folder: string,
): Promise<void> {
  const draft = `${folder}.draft`
  rmSync(draft, { recursive: true, force: true })
  const bundle = await rolldown({
    input: entries,
    platform: 'node',
    external: [...external],
    plugins: [...plugins],
    resolve: { conditionNames: ['source', 'node', 'default'] },
    // A dependency of the identity provider uses `eval`.
    checks: { eval: false },
  })
  await bundle.write({
    dir: join(draft, place),
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    // V8 keeps the source of every loaded file in memory, and needs two bytes for each character if one of them is not
    // in Latin-1. So comments are removed, and the output is ASCII. Line breaks and names stay, because stack traces
    // contain them.
    comments: false,
    minify: { mangle: false, compress: false, codegen: { asciiOnly: true, removeWhitespace: false } },
  })
  checkSources(await bundle.watchFiles, sources)
  await bundle.close()
  complete?.(draft)
  writeFileSync(join(draft, SIZES), JSON.stringify(sizesIn(draft)))
  rmSync(folder, { recursive: true, force: true })
  renameSync(draft, folder)
}

/** A file of each build with the sizes of its other files. */
const SIZES = 'sizes.json'

const sizesIn = (folder: string): Record<string, number> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== SIZES)
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((file) => [relative(folder, file), statSync(file).size]),
  )

/** Whether a build exists and no file of it is missing or cut off, as after a power failure. */
function isWhole(folder: string): boolean {
  try {
    const sizes = Object.entries(JSON.parse(readFileSync(join(folder, SIZES), 'utf8')) as Record<string, number>)
    return sizes.every(([file, size]) => statSync(join(folder, file)).size === size)
  } catch {
    return false
  }
}

/** A build must change when any of its sources changes, so all of them must be listed. */
function checkSources(files: readonly string[], sources: readonly string[]): void {
  for (const file of files) {
    const path = relative('.', file)
    if (!path.startsWith(`packages${sep}`)) continue
    if (!sources.some((source) => path === normalize(source) || path.startsWith(normalize(source) + sep)))
      throw new Error(`${path} is bundled, but is not one of the listed sources`)
  }
}

const touch = (path: string): void => {
  if (existsSync(path)) utimesSync(path, new Date(), new Date())
}

/** Removes builds that were not used for a day. A running service keeps marking the build of its stacks as used. */
function removeOlderBuilds(builds: string, current: string): void {
  for (const name of readdirSync(builds)) {
    const path = join(builds, name)
    if (name === current || name === 'current' || Date.now() - statSync(path).mtimeMs < KEPT_MS) continue
    rmSync(path, { recursive: true, force: true })
  }
}
