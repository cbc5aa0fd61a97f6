import { federationNameIn, federationNameOf, isModuleAddress } from '@storey/contract'
import { type LicenseRecord, type Manifest, type ModuleRecord, type PlatformClient, StoreyError } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { quotedForSh } from '../../output/quoted-for-sh.ts'
import { safeText } from '../../output/safe-text.ts'
import { nameValueLines } from '../../output/table.ts'
import { buildingOf, targetSandbox } from '../../sandboxes/target.ts'
import { get } from '../module/checks/get.ts'
import { remoteEntryAt } from './default-remote.ts'
import type { InstallOptions } from './install-options.ts'
import { checkInstallVersions, readManifest } from './manifest-file.ts'

/**
 * Registers the module in a sandbox, then requests its licence there. The sandbox is the one of --sandbox, else the one
 * of SVC_API_URL and SVC_API_TOKEN, else the one of the folder (`sandboxes/target.ts`).
 */
export async function installModule(context: Context, file: string, options: InstallOptions): Promise<void> {
  const manifest = await readManifest(context.cwd, file)
  checkInstallVersions(context.version, manifest)
  const target = await targetSandbox(context, options.sandbox)
  const platform = await context.platform(target.apiUrl, target.token)
  const buildingId = await buildingOf(target, platform)
  const module = await platform.modules.ingest({
    manifest: manifest as Manifest,
    remoteEntryUrl: options.remoteEntry,
  })
  const named = target.reference === undefined ? '' : ` ${quotedForSh(target.reference)}`
  const { license, isNew } = await licensed(platform, module.slug, buildingId)
  context.out.answer({ module, license }, () => {
    const facts: [string, string][] = [
      ['module', `${module.slug} ${module.version}`],
      ['sandbox', target.where],
      ['remote entry', module.remoteEntryUrl],
      ['licence', isNew ? 'new' : 'exists already'],
      ['show it with', `svc open${named} --path /sandbox/${module.slug}`],
    ]
    const title = `${context.out.paint('bold', safeText(module.name))} is installed.`
    return [title, '', ...nameValueLines(facts, (text) => context.out.paint('dim', text))].join('\n')
  })
  if (!module.compatible) {
    context.out.note(
      `The platform cannot run this module, built with SDK ${safeText(module.sdkVersion)}. \`svc module doctor\` shows why.`,
    )
  }
  await warnOfAnother(context, module)
}

/** Warns if another module is served at the address of the remote entry: the shell would load that other module. */
async function warnOfAnother({ out }: Context, { slug, remoteEntryUrl }: ModuleRecord): Promise<void> {
  if (out.format !== 'text' || !URL.canParse(remoteEntryUrl) || !isModuleAddress(new URL(remoteEntryUrl))) return
  const got = await get(remoteEntryUrl)
  const served = got.state === 'answered' && got.status === 200 ? federationNameIn(got.text) : undefined
  if (served === undefined || served === federationNameOf(slug)) return
  const port = Number(new URL(remoteEntryUrl).port || 80) + 1
  out.note(
    `Another module (${safeText(served)}) runs at ${safeText(remoteEntryUrl)}: stop that module, or serve this module on another port with \`npm run serve:remote -- --port ${port}\` and install it with --remote-entry=${remoteEntryAt(port)}.`,
  )
}

/** Requests the licence. An existing licence is not an error, so that an install can be repeated. */
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
