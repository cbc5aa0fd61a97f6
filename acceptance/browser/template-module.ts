import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { writeProject } from '../../packages/cli/src/commands/module/project/write-project.ts'

const run = promisify(execFile)
export const TEMPLATE_SLUG = 'air-quality'

/** As `npm run build` of the project, with the SDK read from its sources: there may be no bundle of it. */
const BUILD = `import { build, defaultClientConditions } from 'vite'
await build({ resolve: { conditions: ['source', ...defaultClientConditions] } })`

export interface BuiltModule {
  /** What a browser is to be served. */
  dist: string
  remove(): void
}

/** The build of a module as `svc module create` writes it, on the packages that are installed here. */
export async function templateModule(): Promise<BuiltModule> {
  const folder = mkdtempSync(join(tmpdir(), 'storey-template-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    await writeProject(
      { folder, slug: TEMPLATE_SLUG, name: 'Air quality', buildingTypes: ['office'], version: '1.14.0' },
      // The shell brings the SDK, so that a build has nothing of it: any file may stand for the package.
      { template: resolve('packages/cli/templates/module'), sdkTarball: resolve('packages/sdk/package.json') },
    )
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction')
    // Not the runner's own: a build under a test is another build.
    const env = { PATH: process.env.PATH, HOME: process.env.HOME }
    await run(process.execPath, ['--conditions=source', '--input-type=module', '--eval', BUILD], { cwd: folder, env })
    return { dist: join(folder, 'dist'), remove }
  } catch (error) {
    remove()
    throw error
  }
}
