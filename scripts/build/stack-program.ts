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
/** Names the folder of the newest build. */
const CURRENT = join(FOLDER, 'current')
const MIGRATIONS = 'packages/platform/migrations'
const KEPT_MS = 24 * 3_600_000
const SOURCES = ['building', 'contract', 'kit', 'platform'].map((name) => `packages/${name}/src`)

/** Each is started by its file name, as a process or as a thread. */
const ENTRIES = {
  main: 'packages/platform/src/main.ts',
  'compaction-thread': 'packages/platform/src/features/telemetry/compaction/thread.ts',
  'model-thread': 'packages/platform/src/features/simulation/thread.ts',
}

/**
 * Bundles the program of stacks: a process loads a few files instead of 1,300, in a third of the time. Each build has a
 * folder of its own, with the migrations it expects, and never changes: a service that runs starts stacks of its own build.
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

/** Writes into a draft first, so that a build that exists is complete. */
async function bundle(folder: string): Promise<void> {
  const draft = `${folder}.draft`
  rmSync(draft, { recursive: true, force: true })
  const bundle = await rolldown({
    input: ENTRIES,
    platform: 'node',
    // The reader of building models starts confined processes from its own files.
    external: ['@storey/ifc', 'pg-native'],
    plugins: [httpWithoutUndici],
    resolve: { conditionNames: ['source', 'node', 'default'] },
  })
  // Beside the migrations, as the sources are.
  await bundle.write({ dir: join(draft, 'program'), format: 'esm', chunkFileNames: '[name]-[hash].js' })
  await bundle.close()
  cpSync(MIGRATIONS, join(draft, 'migrations'), { recursive: true })
  renameSync(draft, folder)
}

/**
 * An `import` of `node:http` reads all its exports, and with WebSocket it loads undici, which takes 45 ms of each start.
 * The names are those that the bundled code imports; the build fails for a missing one.
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

const touch = (path: string): void => {
  if (existsSync(path)) utimesSync(path, new Date(), new Date())
}

/** The builds of a day ago; a service that runs marks its own as used. */
function removeOlderBuilds(current: string): void {
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name)
    if (name === current || path === CURRENT || Date.now() - statSync(path).mtimeMs < KEPT_MS) continue
    rmSync(path, { recursive: true, force: true })
  }
}
