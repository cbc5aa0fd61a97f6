import { type ModuleRecord, type PlatformClient, StoreyError } from '@storey/sdk'
import type { ModuleShell } from '@storey/sdk/module'
import type { LoadFailure } from './load-remote.ts'
import { type EntryState, lookAtEntry } from './look-at-entry.ts'
import { loopbackAddress } from './remote-address.ts'

/** Why a module is not shown, in the order in which it is found out. */
export type ModuleFailure =
  | { kind: 'missing' }
  | { kind: 'incompatible' }
  | { kind: 'refused' }
  | Exclude<EntryState, { kind: 'ready' }>
  | LoadFailure
  | { kind: 'throwsRendering'; message: string }

export type ModuleState =
  | { step: 'looking' }
  /** The browser will ask the reader, who should know why. */
  | { step: 'asking'; module: ModuleRecord }
  | { step: 'loading'; module: ModuleRecord }
  /** `builtAs`: by which name, where that is another than the registry has. */
  | { step: 'shown'; module: ModuleRecord; shell: ModuleShell; builtAs: string | undefined }
  | { step: 'failed'; module: ModuleRecord | undefined; failure: ModuleFailure }
  | { step: 'error'; error: unknown }

export interface OpenOptions {
  client: PlatformClient
  slug: string
  signal: AbortSignal
  /** Whether a remote is reached for without a word from the reader. */
  mayLoad: boolean
  tell(state: ModuleState): void
}

/** From the slug to a component: one way for every module, led by its row in the registry alone. */
export async function openModule(options: OpenOptions): Promise<void> {
  const { signal } = options
  const tell = (state: ModuleState) => signal.aborted || options.tell(state)
  tell({ step: 'looking' })
  try {
    const module = await findModule(options)
    const fail = (failure: ModuleFailure) => tell({ step: 'failed', module, failure })
    if (!module) return void fail({ kind: 'missing' })
    if (!module.compatible) return void fail({ kind: 'incompatible' })
    const address = loopbackAddress(module.remoteEntryUrl)
    if (!address) return void fail({ kind: 'refused' })
    if (!options.mayLoad) return void tell({ step: 'asking', module })
    tell({ step: 'loading', module })
    // Another address each time: a rebuilt module keeps the name of its entry.
    address.searchParams.set('t', String(Date.now()))
    const found = await lookAtEntry(address.href)
    if (signal.aborted) return
    if (found.kind !== 'ready') return void fail(found)
    const { loadRemote } = await import('./load-remote.ts')
    const loaded = await loadRemote(module, address.href)
    if ('failure' in loaded) fail(loaded.failure)
    else {
      const builtAs = found.builtAs === module.federationName ? undefined : found.builtAs
      tell({ step: 'shown', module, shell: loaded.shell, builtAs })
    }
  } catch (error) {
    tell({ step: 'error', error })
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

/** What a browser has loaded it does not load again: these end with a new page. */
export const needsNewPage = ({ kind }: ModuleFailure): boolean =>
  ['noContainer', 'notExposed', 'noComponent', 'throwsLoading', 'throwsRendering'].includes(kind)
