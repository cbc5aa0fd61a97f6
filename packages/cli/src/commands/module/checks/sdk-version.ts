import { isBelow } from '../../../is-below.ts'
import { MIN_VERSION } from '../../sandbox/manifest-file.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { installedVersion } from './project.ts'
import { majorOf } from './versions.ts'

const NAME = 'sdk-version'
const PACKAGE = '@storey/sdk'

/** The platform uses the manifest's `sdkVersion` to decide whether it can run a module. */
export async function checkSdkVersion(folder: string, sdkVersion: string, toolVersion: string): Promise<Check> {
  const advice = `install ${PACKAGE} ${toolVersion}, and set "sdkVersion": "${toolVersion}" in manifest.json`
  if (isBelow(sdkVersion, MIN_VERSION))
    return fail(NAME, `${sdkVersion} is older than ${MIN_VERSION}, the oldest supported version`, advice)
  if (majorOf(sdkVersion) !== majorOf(toolVersion))
    return fail(NAME, `${sdkVersion} has another major version than this tool (${toolVersion})`, advice)
  const installed = await installedVersion(folder, PACKAGE)
  if (installed === undefined) return fail(NAME, `${PACKAGE} is not installed`, 'npm install')
  if (isBelow(toolVersion, sdkVersion)) {
    return warn(NAME, `${sdkVersion} is newer than this tool (${toolVersion})`, `install svc ${sdkVersion} or later`)
  }
  if (installed !== sdkVersion) {
    const fix = `set "sdkVersion": "${installed}" in manifest.json, then build and install again`
    return warn(NAME, `the manifest has ${sdkVersion}, but ${PACKAGE} ${installed} is installed`, fix)
  }
  return ok(NAME, `${sdkVersion}, the installed version of ${PACKAGE}`)
}
