import { type ModuleRecord, type PlatformClient, StoreyError } from '@storey/sdk'
import type { ModuleShell } from '@storey/sdk/module'
import { loopbackAddress } from './allowed-address.ts'
import { checkEntry, type EntryState } from './check-entry.ts'
import type { LoadFailure } from './load-remote.ts'

/** Why a module is not shown, in the order of the checks. */
export type ModuleFailure =
  | { kind: 'missing' }
  | { kind: 'incompatible' }
  | { kind: 'refused' }
  | Exclude<EntryState, { kind: 'ready' }>
  | LoadFailure
  | { kind: 'throwsRendering'; message: string }

export type ModuleState =
  | { step: 'searching' }
  /** The browser will ask for a permission, so the page explains it first. */
  | { step: 'permission'; module: ModuleRecord }
  | { step: 'loading'; module: ModuleRecord }
  /** `builtAs` is the federation name of the build, if it differs from the name in the registry. */
  | { step: 'shown'; module: ModuleRecord; shell: ModuleShell; builtAs: string | undefined }
  | { step: 'failed'; module: ModuleRecord | undefined; failure: ModuleFailure }
  | { step: 'error'; error: unknown }

export interface OpenOptions {
  client: PlatformClient
  slug: string
  signal: AbortSignal
  /** Whether the remote may be loaded. If not, the state becomes `permission`. */
  mayLoad: boolean
  onState(state: ModuleState): void
}

/**
 * Finds a module in the registry of the sandbox's installed modules, checks it and loads its component. It does not
 * check whether the module has a licence for the building (`contract/src/licenses.ts`).
 */
export async function openModule(options: OpenOptions): Promise<void> {
  const { signal } = options
  const report = (state: ModuleState) => signal.aborted || options.onState(state)
  report({ step: 'searching' })
  try {
    const module = await findModule(options)
    const fail = (failure: ModuleFailure) => report({ step: 'failed', module, failure })
    if (!module) return void fail({ kind: 'missing' })
    if (!module.compatible) return void fail({ kind: 'incompatible' })
    const address = loopbackAddress(module.remoteEntryUrl)
    if (!address) return void fail({ kind: 'refused' })
    if (!options.mayLoad) return void report({ step: 'permission', module })
    report({ step: 'loading', module })
    // A new URL each time, because a rebuilt module has the same entry URL.
    address.searchParams.set('t', String(Date.now()))
    const found = await checkEntry(address.href)
    if (signal.aborted) return
    if (found.kind !== 'ready') return void fail(found)
    const { loadRemote } = await import('./load-remote.ts')
    const loaded = await loadRemote(module, address.href)
    if ('failure' in loaded) fail(loaded.failure)
    else {
      const builtAs = found.builtAs === module.federationName ? undefined : found.builtAs
      report({ step: 'shown', module, shell: loaded.shell, builtAs })
    }
  } catch (error) {
    report({ step: 'error', error })
  }
}

async function findModule({ client, slug, signal }: OpenOptions): Promise<ModuleRecord | undefined> {
  try {
    return await client.modules.get(slug, { signal })
  } catch (error) {
    if (error instanceof StoreyError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/**
 * Failures after the browser has run code of the module. They need a page reload, because the browser does not run
 * files with the same URL again.
 */
export const needsNewPage = ({ kind }: ModuleFailure): boolean =>
  ['noContainer', 'notExposed', 'noComponent', 'throwsLoading', 'throwsRendering'].includes(kind)
