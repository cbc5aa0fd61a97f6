import type { Manifest } from '@storey/contract'
import { type PlatformClient, StoreyError } from '@storey/sdk'
import { type Check, fail, ok, skipped, warn } from './check.ts'
import { installCommand } from './install-command.ts'

export interface Sandbox {
  client: PlatformClient
  buildingId: string
  consoleUrl: string
  /**
   * The sandbox as the user or the folder names it, for suggested commands; undefined if only environment variables
   * select the sandbox.
   */
  reference: string | undefined
}

/** Checks the module's registration and licence in the sandbox. */
export async function checkPlatform(
  sandbox: Sandbox,
  { slug, version, sdkVersion }: Manifest,
  remoteEntryUrl: string,
): Promise<Check[]> {
  const { client, buildingId, reference } = sandbox
  const install = installCommand(reference, remoteEntryUrl)
  const row = await client.modules.get(slug).catch(whenAbsent)
  if (row === undefined) {
    const registry = fail('registry', `${slug} is not in the sandbox's registry`, install)
    return [
      skipped('platform', 'the module is not registered'),
      registry,
      skipped('licence', 'the module is not registered'),
    ]
  }
  const compatible = row.compatible
    ? ok('platform', `the platform runs modules built with SDK ${row.sdkVersion}`)
    : fail(
        'platform',
        `the platform does not run modules built with SDK ${row.sdkVersion}`,
        'build the module with the SDK version of the platform, or an older one of the same major version',
      )
  const licences = await client.licenses.list({ moduleSlug: slug, buildingId })
  const licence =
    licences.total > 0
      ? ok('licence', `${slug} is licensed for the building`)
      : warn('licence', `${slug} is not licensed for the building; the sandbox shell loads it anyway`, install)
  return [compatible, checkRow(), licence]

  function checkRow(): Check {
    if (row!.remoteEntryUrl !== remoteEntryUrl) {
      return fail('registry', `the registered address is ${row!.remoteEntryUrl}, not ${remoteEntryUrl}`, install)
    }
    const stale = row!.version !== version || row!.sdkVersion !== sdkVersion
    const registered = `${row!.version} (SDK ${row!.sdkVersion})`
    const found = `version ${registered} is registered, but the manifest has ${version} (SDK ${sdkVersion})`
    if (stale) return warn('registry', found, install)
    return ok('registry', `version ${version} is registered at ${remoteEntryUrl}`)
  }
}

function whenAbsent(error: unknown): undefined {
  if (error instanceof StoreyError && error.status === 404) return undefined
  throw error
}
