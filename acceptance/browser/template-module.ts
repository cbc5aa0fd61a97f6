import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { writeProject } from '../../packages/cli/src/commands/module/project/write-project.ts'
import { type Remote, serveRemote } from './module-remote.ts'

const run = promisify(execFile)
const EXAMPLES = 'examples'
export const TEMPLATE_SLUG = 'air-quality'

/**
 * Builds like `npm run build` of a project, but with the sources of the SDK, whose bundle may not exist. On a busy
 * machine the federation plugin may miss exports in use; importing the whole module keeps all of them.
 */
const BUILD = `import { build, defaultClientConditions } from 'vite'
const whole = ['react', '@storey/sdk/module'].map((name, i) => 'import * as all' + i + ' from "' + name + '"; void all' + i)
const transform = (code, id) => id.endsWith('/src/Shell.tsx') ? [code, ...whole].join('\\n') : undefined
await build({
  plugins: [{ name: 'whole', enforce: 'pre', transform }],
  resolve: { conditions: ['source', ...defaultClientConditions] },
})`

export interface BuiltModule {
  /** Serves the build as `npm run serve:remote` does. */
  serve(): Promise<Remote>
}

/** The build of a module as `svc module create` writes it. */
export const templateModule = (): Promise<BuiltModule> =>
  built((folder) =>
    writeProject(
      { folder, slug: TEMPLATE_SLUG, name: 'Air quality', buildingTypes: ['office'], version: '1.14.0' },
      // The shell provides the SDK at run time, so any file can stand in for the package.
      { template: resolve('packages/cli/templates/module'), sdkTarball: resolve('packages/sdk/package.json') },
    ),
  )

/** The build of one of the examples. */
export const exampleModule = (slug: string): Promise<BuiltModule> =>
  built(async (folder) => {
    const source = resolve(EXAMPLES, slug)
    const isGenerated = (path: string) => /^[\\/](node_modules|dist|vendor)([\\/]|$)/.test(path.slice(source.length))
    cpSync(source, folder, { recursive: true, filter: (path) => !isGenerated(path) })
  })

/** Uses the packages that are installed here, because a separate install takes half a minute. */
async function built(write: (folder: string) => Promise<unknown>): Promise<BuiltModule> {
  const folder = temporaryFolder('storey-module')
  await write(folder)
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction')
  // NODE_ENV of the test runner would change the build, so it is left out.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  await run(process.execPath, ['--conditions=source', '--input-type=module', '--eval', BUILD], { cwd: folder, env })
  return { serve: () => serveFolder(join(folder, 'dist')) }
}

const serveFolder = (dist: string): Promise<Remote> =>
  serveRemote((path) => {
    const file = join(dist, path)
    if (!existsSync(file) || extname(file) === '') return undefined
    return [200, extname(file) === '.css' ? 'text/css' : 'text/javascript', readFileSync(file)]
  })
