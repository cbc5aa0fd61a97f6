import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { hashOfSources } from './hash-of-sources.ts'
import type { Build } from './if-changed.ts'

const FOLDER = 'packages/platform/dist'
/** A file with the folder name of the newest build. */
const CURRENT = join(FOLDER, 'current')
const MIGRATIONS = 'packages/platform/migrations'
const KEPT_MS = 24 * 3_600_000
const SOURCES = ['building', 'contract', 'kit', 'platform'].map((name) => `packages/${name}/src`)

/** Programs that are started as a process or a thread, so each needs a file of its own. */
const ENTRIES = {
  main: 'packages/platform/src/main.ts',
  'compaction-thread': 'packages/platform/src/features/telemetry/compaction/thread.ts',
  'model-thread': 'packages/platform/src/features/simulation/thread.ts',
}

/**
 * Bundles the program of stacks, so that a process loads a few files instead of 1,300, in a third of the time. Each
 * build has its own folder, which contains its migrations and never changes, so that a running service keeps starting
 * stacks of the build it began with.
 */
export function stackProgramBuild(): Build {
  const build = hashOfSources([...SOURCES, MIGRATIONS, 'package-lock.json', import.meta.filename]).slice(0, 16)
  const folder = join(FOLDER, build)
  const current = existsSync(CURRENT) ? readFileSync(CURRENT, 'utf8') : undefined
  return {
    name: 'stack program',
    isDue: current !== build || !existsSync(folder),
    async run() {
      if (!existsSync(folder)) await bundle(folder)
      if (current !== undefined && current !== build) touch(join(FOLDER, current))
      writeFileSync(`${CURRENT}.draft`, build)
      renameSync(`${CURRENT}.draft`, CURRENT)
      removeOlderBuilds(build)
    },
  }
}

/** Writes into a draft folder and renames it at the end, so that an existing build is always complete. */
async function bundle(folder: string): Promise<void> {
  const draft = `${folder}.draft`
  rmSync(draft, { recursive: true, force: true })
  const bundle = await rolldown({
    input: ENTRIES,
    platform: 'node',
    // `@storey/ifc` starts processes from its own source files. `pg-native` is optional and not installed.
    external: ['@storey/ifc', 'pg-native'],
    plugins: [httpWithoutUndici, swaggerWithoutYaml],
    resolve: { conditionNames: ['source', 'node', 'default'] },
  })
  // The program finds the migrations beside its own folder, as in the sources.
  await bundle.write({
    dir: join(draft, 'program'),
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    // V8 keeps the source of every loaded file in memory, with two bytes a character if a character of the file is not
    // in Latin-1. Line breaks and names are kept, so that stack traces can be read.
    comments: false,
    minify: { mangle: false, compress: false, codegen: { asciiOnly: true, removeWhitespace: false } },
  })
  await bundle.close()
  cpSync(MIGRATIONS, join(draft, 'migrations'), { recursive: true })
  renameSync(draft, folder)
}

/**
 * Replaces imports of `node:http`. An import reads all exports of that module, and reading the export `WebSocket` loads
 * undici, which takes 45 ms at each start. The list has the names that the bundled code imports; if one is missing, the
 * build fails.
 */
const httpWithoutUndici: Plugin = {
  name: 'http-without-undici',
  resolveId: (id) => (/^(node:)?http$/.test(id) ? '\0http' : undefined),
  load: (id) =>
    id === '\0http'
      ? `const http = process.getBuiltinModule('node:http')
         export const { Agent, createServer, get, IncomingMessage, METHODS, request, Server, ServerResponse, STATUS_CODES } = http
         export default http`
      : undefined,
}

/** `@fastify/swagger` loads a YAML library of 200 KB at the start. The API document is served as JSON only. */
const swaggerWithoutYaml: Plugin = {
  name: 'swagger-without-yaml',
  resolveId: (id) => (id === 'yaml' ? '\0yaml' : undefined),
  load: (id) => (id === '\0yaml' ? 'export {}' : undefined),
}

const touch = (path: string): void => {
  if (existsSync(path)) utimesSync(path, new Date(), new Date())
}

/** Removes builds that were not used for a day. A running service keeps marking its own build as used. */
function removeOlderBuilds(current: string): void {
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name)
    if (name === current || path === CURRENT || Date.now() - statSync(path).mtimeMs < KEPT_MS) continue
    rmSync(path, { recursive: true, force: true })
  }
}
