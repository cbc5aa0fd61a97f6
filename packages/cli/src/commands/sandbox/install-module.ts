import { type LicenseRecord, type Manifest, type PlatformClient, StoreyError } from '@storey/sdk'
import { checkedUrl } from '../../address.ts'
import type { Context } from '../../context.ts'
import { isJwt } from '../../credential.ts'
import { CliError, wrongUsage } from '../../errors.ts'
import { factSheet } from '../../output/table.ts'
import type { InstallOptions } from './install-options.ts'
import { checkInstallVersions, readManifest } from './manifest-file.ts'

/** Two calls: the registry first, then the licence. */
export async function installModule(context: Context, file: string, options: InstallOptions): Promise<void> {
  const manifest = await readManifest(context.cwd, file)
  checkInstallVersions(context.version, manifest)
  const { platform, buildingId, where } = await destination(context, options)
  const module = await platform.modules.ingest({
    manifest: manifest as Manifest,
    remoteEntryUrl: options.remoteEntry,
  })
  const { license, isNew } = await licensed(platform, module.slug, buildingId)
  context.out.answer({ module, license }, () => {
    const facts: [string, string][] = [
      ['module', `${module.slug} ${module.version}`],
      ['sandbox', where],
      ['remote entry', module.remoteEntryUrl],
      ['licence', isNew ? 'new' : 'exists already'],
    ]
    const title = `${context.out.paint('bold', module.name)} is installed.`
    return [title, '', ...factSheet(facts, (text) => context.out.paint('dim', text))].join('\n')
  })
  if (!module.compatible) {
    context.out.note(
      `The platform cannot run it: it was built with SDK ${module.sdkVersion}. Run \`svc module doctor\` to see why.`,
    )
  }
}

interface Destination {
  platform: PlatformClient
  buildingId: string
  where: string
}

async function destination(context: Context, { sandbox }: InstallOptions): Promise<Destination> {
  if (sandbox !== undefined) {
    const { sandboxes } = await context.provisioning()
    const { apiUrl, token, buildingId } = await sandboxes.connection(sandbox)
    return { platform: await context.platform(apiUrl, token), buildingId, where: `${sandbox} at ${apiUrl}` }
  }
  const { SVC_API_URL: apiUrl, SVC_API_TOKEN: token, SVC_BUILDING_ID: buildingId } = context.env
  if (!apiUrl || !token || !isJwt(token)) {
    throw wrongUsage(
      'No sandbox is given.',
      'Use --sandbox=<id>, or first run eval "$(svc sandbox connect <id>)", which sets SVC_API_URL and SVC_API_TOKEN.',
    )
  }
  const platform = await context.platform(checkedUrl(apiUrl, 'SVC_API_URL'), token)
  return { platform, buildingId: buildingId || (await onlyBuilding(platform)), where: apiUrl }
}

async function onlyBuilding(platform: PlatformClient): Promise<string> {
  const { data } = await platform.buildings.list()
  if (data.length === 1) return data[0]!.id
  if (data.length === 0)
    throw new CliError('The sandbox has no building to license the module for.', { code: 'NO_BUILDING' })
  throw new CliError(`The sandbox has ${data.length} buildings, and none is selected.`, {
    code: 'WHICH_BUILDING',
    next: `Set SVC_BUILDING_ID to one of: ${data.map(({ id }) => id).join(', ')}.`,
  })
}

/** An existing licence is fine: install can be repeated. */
async function licensed(
  platform: PlatformClient,
  moduleSlug: string,
  buildingId: string,
): Promise<{ license: LicenseRecord | null; isNew: boolean }> {
  try {
    return { license: await platform.licenses.create({ moduleSlug, buildingId }), isNew: true }
  } catch (error) {
    if (!(error instanceof StoreyError) || error.status !== 409) throw error
    const { data } = await platform.licenses.list({ moduleSlug, buildingId })
    return { license: data[0] ?? null, isNew: false }
  }
}
