import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError } from '../../../errors.ts'

export interface ProjectAssets {
  template: string
  /** The SDK as an npm package: it is not in a public registry, so a project contains it. */
  sdkTarball: string
}

/** Files shipped with the tool: from the installed package, or from the repository. */
export function findAssets(start = fileURLToPath(import.meta.url)): ProjectAssets {
  const root = packageRoot(dirname(start))
  const template = [join(root, 'dist', 'templates', 'module'), join(root, 'templates', 'module')]
  // In the repository the template sources are newer than those of the last build.
  const found = (existsSync(join(root, 'src')) ? template.reverse() : template).find((path) => existsSync(path))
  const sdkTarball = join(root, 'dist', 'sdk.tgz')
  if (!existsSync(sdkTarball)) buildFrom(root)
  if (found === undefined || !existsSync(sdkTarball)) {
    throw new CliError(
      `The installation of the tool is incomplete: ${found ? 'dist/sdk.tgz' : 'the template'} is missing in ${root}.`,
      {
        code: 'TOOL_NOT_WHOLE',
        next: 'Install it again; in the repository run "npm pack -w packages/cli", which builds it.',
      },
    )
  }
  return { template: found, sdkTarball }
}

/** Builds the missing files. Only needed in the repository, before the first build. */
function buildFrom(root: string): void {
  const repository = join(root, '..', '..')
  const script = join('scripts', 'build-package.ts')
  if (!existsSync(join(root, 'src')) || !existsSync(join(repository, script))) return
  spawnSync(process.execPath, [script, 'cli'], { cwd: repository, stdio: 'ignore' })
}

function packageRoot(start: string): string {
  for (let at = start; ; at = dirname(at)) {
    const file = join(at, 'package.json')
    if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === '@storey/cli') return at
    if (dirname(at) === at) return start
  }
}
