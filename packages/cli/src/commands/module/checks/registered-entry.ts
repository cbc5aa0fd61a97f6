import { federationNameIn, federationNameOf, type Manifest } from '@storey/contract'
import { DEFAULT_REMOTE_ENTRY } from '../../sandbox/default-remote.ts'
import type { Check } from './check.ts'
import { type GetResult, get } from './get.ts'
import { installCommand } from './install-command.ts'
import type { Finding } from './sandbox-to-check.ts'

export interface CheckedEntry {
  remoteEntryUrl: string
  /**
   * If the entry to check is the registered one and not the default one, adds the registered address to a failed port
   * check, and changes the suggested fix: a module that runs at another address must be installed again.
   */
  fixPort(check: Check): Promise<Check>
}

export interface EntryQuestion {
  sandbox: Finding
  manifest: Manifest | undefined
  /** The value of --remote-entry. */
  named: string | undefined
  /** The text of the remote entry that the project's last build wrote; undefined if there is no build. */
  built: string | undefined
}

/** The entry to check: the given one, else the one that the sandbox has registered, else the default one. */
export async function entryOf(
  { sandbox, manifest, named, built }: EntryQuestion,
  defaultEntry = DEFAULT_REMOTE_ENTRY,
): Promise<CheckedEntry> {
  if (named !== undefined) return { remoteEntryUrl: named, fixPort: async (check) => check }
  const registered =
    sandbox.state === 'found' && manifest !== undefined
      ? // If this request fails, the platform checks report the reason.
        await sandbox.client.modules.get(manifest.slug).catch(() => undefined)
      : undefined
  const remoteEntryUrl = registered?.remoteEntryUrl ?? defaultEntry
  return {
    remoteEntryUrl,
    async fixPort(check) {
      if (check.name !== 'port' || check.state !== 'fail' || remoteEntryUrl === defaultEntry) return check
      const got = await get(defaultEntry)
      const install = installCommand(sandbox.state === 'found' ? sandbox.reference : undefined, defaultEntry)
      const found = `${check.found} (the sandbox has registered ${remoteEntryUrl})`
      if (manifest !== undefined && isEntryOf(got, manifest.slug, built))
        return { ...check, found: `${found}; this module is served on port 6001`, fix: install }
      const fix = 'serve the module at that address'
      if (got.state !== 'refused') return { ...check, found, fix }
      return { ...check, found, fix: `${fix}, or serve it on port 6001 and run ${install}` }
    },
  }
}

/** Whether the answer is the entry of this module: it has the name of the module, or it is the project's build. */
function isEntryOf(got: GetResult, slug: string, built: string | undefined): boolean {
  if (got.state !== 'answered' || got.status !== 200) return false
  return got.text === built || federationNameIn(got.text) === federationNameOf(slug)
}
