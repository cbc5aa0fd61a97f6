import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'
import type { Build } from './if-changed.ts'
import { programBuild } from './program.ts'

const MIGRATIONS = 'packages/platform/migrations'

/** The program of stacks. It starts in a third of the time that its sources take. */
export const stackProgramBuild = (): Build =>
  programBuild({
    name: 'stack program',
    package: 'platform',
    place: 'program',
    sources: [
      ...['building', 'contract', 'kit', 'platform'].map((name) => `packages/${name}/src`),
      ...[MIGRATIONS, 'package-lock.json', 'scripts/build/program.ts', 'scripts/build/stack-program.ts'],
    ],
    entries: {
      main: 'packages/platform/src/main.ts',
      'compaction-thread': 'packages/platform/src/features/telemetry/compaction/thread.ts',
      'model-thread': 'packages/platform/src/features/simulation/thread.ts',
    },
    // `@storey/ifc` starts processes from its own source files. `pg-native` is optional and not installed.
    external: ['@storey/ifc', 'pg-native'],
    plugins: [httpWithoutUndici, swaggerWithoutYaml],
    // The program finds the migrations beside its own folder, as in the sources.
    complete: (folder) => cpSync(MIGRATIONS, join(folder, 'migrations'), { recursive: true }),
  })

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
