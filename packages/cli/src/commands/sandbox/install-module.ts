import { type LicenseRecord, type Manifest, type PlatformClient, StoreyError } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { factSheet } from '../../output/table.ts'
import { buildingOf, targetSandbox } from '../../sandboxes/target.ts'
import type { InstallOptions } from './install-options.ts'
import { checkInstallVersions, readManifest } from './manifest-file.ts'

/** Two calls: the registry first, then the licence. */
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
  const { license, isNew } = await licensed(platform, module.slug, buildingId)
  context.out.answer({ module, license }, () => {
    const facts: [string, string][] = [
      ['module', `${module.slug} ${module.version}`],
      ['sandbox', target.where],
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
