import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildName } from './hash-of-sources.mjs'

/** The package whose folder `dist` has the builds of the service. */
export const SERVICE_PACKAGE = 'host'

/**
 * The folder in a build that has the built files. It ends like the folder of the sources, because a service recognizes
 * another running service by `host/src/main` in the command line (`data-folder.ts`).
 */
export const SERVICE_PLACE = 'host/src'

/** The source files that start the service and operator commands, by the name of the built file. */
export const SERVICE_ENTRIES = {
  main: 'packages/host/src/main.ts',
  operator: 'packages/host/src/operator/main.ts',
}

/** Everything that a build of the service depends on. */
export const SERVICE_SOURCES = [
  ...['building', 'contract', 'host', 'identity', 'kit', 'provisioning'].map((name) => `packages/${name}/src`),
  'packages/platform/src/migrations.ts',
  'packages/platform/src/program.ts',
  ...['portal', 'reference', 'shell'].map((name) => `packages/${name}/src/folder.ts`),
  'package-lock.json',
  'scripts/build/built-service.mjs',
  'scripts/build/program.ts',
  'scripts/build/service-program.ts',
]

/**
 * The built file of a program of the service. Undefined for other programs, and if `npm run build` has not built these
 * sources: then the program is run from its sources.
 *
 * @param {string} root
 * @param {string} program
 */
export function builtService(root, program) {
  const entry = Object.entries(SERVICE_ENTRIES).find(([, source]) => source === program)?.[0]
  if (entry === undefined) return undefined
  const builds = join(root, 'packages', SERVICE_PACKAGE, 'dist')
  if (!existsSync(builds)) return undefined
  const file = join(builds, buildName(SERVICE_SOURCES, root), SERVICE_PLACE, `${entry}.js`)
  return existsSync(file) ? file : undefined
}
