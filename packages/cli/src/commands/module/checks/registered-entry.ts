import type { Manifest } from '@storey/contract'
import { DEFAULT_REMOTE_ENTRY } from '../../sandbox/default-remote.ts'
import type { Check } from './check.ts'
import { get } from './get.ts'
import { installCommand } from './install-command.ts'
import type { Finding } from './sandbox-to-check.ts'

export interface CheckedEntry {
  remoteEntryUrl: string
  /**
   * If the registered address is not the default one, adds it to a failed port check, and changes the suggested fix: a
   * module that runs at another address than the registered one must be installed again.
   */
  fixPort(check: Check): Promise<Check>
}

/** The entry to check: the given one, else the one that the sandbox has registered, else the default one. */
export async function entryOf(
  sandbox: Finding,
  manifest: Manifest | undefined,
  named: string | undefined,
): Promise<CheckedEntry> {
  if (named !== undefined) return { remoteEntryUrl: named, fixPort: async (check) => check }
  const registered =
    sandbox.state === 'found' && manifest !== undefined
      ? // If this request fails, the platform checks report the reason.
        await sandbox.client.modules.get(manifest.slug).catch(() => undefined)
      : undefined
  const remoteEntryUrl = registered?.remoteEntryUrl ?? DEFAULT_REMOTE_ENTRY
  return {
    remoteEntryUrl,
    async fixPort(check) {
      if (check.name !== 'port' || check.state !== 'fail' || remoteEntryUrl === DEFAULT_REMOTE_ENTRY) return check
      const isServed = (await get(DEFAULT_REMOTE_ENTRY)).state === 'answered'
      const install = installCommand(sandbox.state === 'found' ? sandbox.reference : undefined, DEFAULT_REMOTE_ENTRY)
      const found = `${check.found} (the sandbox has registered ${remoteEntryUrl})`
      if (!isServed)
        return { ...check, found, fix: `serve the module at that address, or serve it on port 6001 and run ${install}` }
      return { ...check, found: `${found}; a server listens on port 6001`, fix: install }
    },
  }
}
