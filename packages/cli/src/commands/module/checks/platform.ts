import type { Manifest } from '@storey/contract'
import { type PlatformClient, StoreyError } from '@storey/sdk'
import { type Check, fail, ok, skipped, warn } from './check.ts'

export interface Sandbox {
  client: PlatformClient
  buildingId: string
  consoleUrl: string
  /** For the commands that are told: an id, or nothing where the environment names it. */
  id: string | undefined
}

/** What the sandbox knows of the module. */
export async function checkPlatform(
  sandbox: Sandbox,
  { slug, version, sdkVersion }: Manifest,
  remoteEntryUrl: string,
): Promise<Check[]> {
  const { client, buildingId, id } = sandbox
  const install = `svc sandbox install manifest.json${id ? ` --sandbox=${id}` : ''} --remote-entry=${remoteEntryUrl}`
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
    ? ok('platform', `it runs modules made with ${row.sdkVersion}`)
    : fail(
        'platform',
        `it does not run modules made with ${row.sdkVersion}`,
        'make it with an SDK of the platform or older, of the same major version',
      )
  const licences = await client.licenses.list({ moduleSlug: slug, buildingId })
  const licence =
    licences.total > 0
      ? ok('licence', `${slug} has one for the building`)
      : warn('licence', `${slug} has none for the building; the sandbox shell loads it all the same`, install)
  return [compatible, checkRow(), licence]

  function checkRow(): Check {
    if (row!.remoteEntryUrl !== remoteEntryUrl) {
      return fail('registry', `the row points at ${row!.remoteEntryUrl}, not at ${remoteEntryUrl}`, install)
    }
    const stale = row!.version !== version || row!.sdkVersion !== sdkVersion
    if (stale) return warn('registry', `the row is of ${row!.version}, and the manifest says ${version}`, install)
    return ok('registry', `the row of ${version} points at ${remoteEntryUrl}`)
  }
}

function whenAbsent(error: unknown): undefined {
  if (error instanceof StoreyError && error.status === 404) return undefined
  throw error
}
