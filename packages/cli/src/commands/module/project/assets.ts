import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError } from '../../../errors.ts'

export interface ProjectAssets {
  template: string
  /** The SDK as an npm package. A project contains this file, because the SDK is not in a public registry. */
  sdkTarball: string
}

/** Files shipped with the tool: from the installed package, or from the repository. */
export function findAssets(start = fileURLToPath(import.meta.url)): ProjectAssets {
  const root = packageRoot(dirname(start))
  const template = [join(root, 'dist', 'templates', 'module'), join(root, 'templates', 'module')]
  // In the repository the template in `templates` may be newer than the copy that the last build made in `dist`.
  const found = (existsSync(join(root, 'src')) ? template.reverse() : template).find((path) => existsSync(path))
  const sdkTarball = join(root, 'dist', 'sdk.tgz')
  if (existsSync(join(root, 'src'))) packSdkIfChanged(root, sdkTarball)
  if (found === undefined || !existsSync(sdkTarball)) {
    throw new CliError(
      `The installation of the tool is incomplete: ${found ? 'dist/sdk.tgz' : 'the template'} is missing in ${root}.`,
      {
        code: 'TOOL_NOT_WHOLE',
        next: 'Install the tool again; in the repository run "npm pack -w packages/cli", which builds it.',
      },
    )
  }
  return { template: found, sdkTarball }
}

/** In the repository the SDK is packed at first use, and again after its sources have changed. */
function packSdkIfChanged(root: string, sdkTarball: string): void {
  const repository = join(root, '..', '..')
  const sources = ['packages/sdk', 'packages/contract/src', 'scripts/packing'].map((path) => join(repository, path))
  if (existsSync(sdkTarball) && !sources.some(changedSince(statSync(sdkTarball).mtimeMs))) return
  const script = join('scripts', 'build-package.ts')
  if (!existsSync(join(repository, script))) return
  const { status } = spawnSync(process.execPath, [script, 'cli', 'sdk'], { cwd: repository, stdio: 'ignore' })
  if (status === 0) return
  throw new CliError('The SDK could not be packed.', {
    code: 'TOOL_NOT_WHOLE',
    next: `Run "node ${script} cli sdk" in ${repository}, which prints the reason.`,
  })
}

const changedSince =
  (time: number) =>
  (path: string): boolean => {
    if (/^(dist|node_modules)$/.test(basename(path)) || !existsSync(path)) return false
    const status = statSync(path)
    if (status.isFile()) return status.mtimeMs > time
    return readdirSync(path).some((name) => changedSince(time)(join(path, name)))
  }

function packageRoot(start: string): string {
  for (let at = start; ; at = dirname(at)) {
    const file = join(at, 'package.json')
    if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === '@storey/cli') return at
    if (dirname(at) === at) return start
  }
}
