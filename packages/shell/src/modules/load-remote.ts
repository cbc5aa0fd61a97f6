import { createInstance } from '@module-federation/runtime'
import type { ModuleRecord } from '@storey/sdk'
import * as sdk from '@storey/sdk'
import type { ModuleShell } from '@storey/sdk/module'
import * as sdkModule from '@storey/sdk/module'
import * as react from 'react'
import * as jsxRuntime from 'react/jsx-runtime'
import * as reactDom from 'react-dom'

/** Why a module cannot be loaded although `checkEntry` accepted its entry. */
export type LoadFailure =
  | { kind: 'broken'; message: string }
  | { kind: 'noContainer' }
  | { kind: 'notExposed' }
  | { kind: 'noComponent' }
  | { kind: 'throwsLoading'; message: string }

type Loaded = { shell: ModuleShell } | { failure: LoadFailure }

/** Modules use the shell's React and SDK, because a second instance would not see the contexts of the shell. */
const share = (version: string, namespace: object) => ({
  version,
  scope: 'default',
  lib: () => namespace,
  shareConfig: { singleton: true, requiredVersion: `^${version}` },
})

const federation = createInstance({
  name: 'storey_shell',
  remotes: [],
  shareStrategy: 'loaded-first',
  shared: {
    react: share(react.version, react),
    'react/jsx-runtime': share(react.version, jsxRuntime),
    'react-dom': share(react.version, reactDom),
    '@storey/sdk': share(sdk.SDK_VERSION, sdk),
    '@storey/sdk/module': share(sdk.SDK_VERSION, sdkModule),
  },
})

/** Loads the component that the remote exposes. `entry` is a new URL each time, because browsers cache code by URL. */
export async function loadRemote(
  { federationName, exposeName }: Pick<ModuleRecord, 'federationName' | 'exposeName'>,
  entry: string,
): Promise<Loaded> {
  federation.registerRemotes([{ name: federationName, entry, type: 'module' }], { force: true })
  try {
    const path = exposeName.replace(/^\.\//, '')
    const exposed = await federation.loadRemote<{ default?: unknown }>(`${federationName}/${path}`)
    return isComponent(exposed?.default) ? { shell: exposed.default } : { failure: { kind: 'noComponent' } }
  } catch (error) {
    return { failure: await findReason(entry, exposeName, error) }
  }
}

/** A function, or an object as returned by `memo` and `forwardRef`. */
const isComponent = (value: unknown): value is ModuleShell =>
  typeof value === 'function' || (typeof value === 'object' && value !== null && '$$typeof' in value)

/** Imports the remote step by step to find why it failed. The browser has loaded the code and does not run it twice. */
async function findReason(entry: string, exposeName: string, error: unknown): Promise<LoadFailure> {
  let container: { get?: (name: string) => unknown; init?: unknown }
  try {
    container = await import(/* @vite-ignore */ entry)
  } catch (cause) {
    if (cause instanceof SyntaxError) return { kind: 'broken', message: messageOf(cause) }
    return throwsLoading(cause)
  }
  if (typeof container.get !== 'function' || typeof container.init !== 'function') return { kind: 'noContainer' }
  try {
    const factory = await container.get(exposeName)
    if (typeof factory !== 'function') return { kind: 'notExposed' }
  } catch (cause) {
    if (/does not exist|not exposed|not found in/i.test(messageOf(cause))) return { kind: 'notExposed' }
    return throwsLoading(cause)
  }
  return throwsLoading(error)
}

function throwsLoading(error: unknown): LoadFailure {
  // biome-ignore lint/suspicious/noConsole: the developer of the module needs the stack trace
  console.error(error)
  return { kind: 'throwsLoading', message: messageOf(error) }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
