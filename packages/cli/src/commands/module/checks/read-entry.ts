import { federationNameIn } from '@storey/contract'

/**
 * What a remote entry contains. Builds are minified, so the parser looks for patterns that the module federation plugin
 * generates.
 */
export interface Entry {
  /** Whether the entry is a container of module federation, which exports `get` and `init`. */
  isContainer: boolean
  /** Whether Vite's dev server serves the entry, which then imports the project's sources. */
  isFromDevServer: boolean
  exposes: string[]
  federationName: string | undefined
  /** The files that the entry imports, relative to the entry. */
  parts: string[]
  /** The file beside the entry that lists the shared packages. */
  sharesFile: string | undefined
}

/** `unseen`: it is not known whether React is shared. `own`: the build bundles its own React. */
export type SharedReact = { state: 'unseen' } | { state: 'own' } | { state: 'shared'; requiredVersion: string }

const EXPORTS = /\bexport\s*\{([^}]*)\}/g
const EXPOSED = /["'`](\.\/[^"'`\s]*|\.)["'`]\s*:\s*(?:async\b|\(|function\b)/g
const DEV_SERVER = /["'`]\/(?:@id|@fs|@vite)\/|["'`]\/[^"'`]*\/\.vite\/deps[^"'`]*["'`]|\bimport\.meta\.hot\b/
const PART = /\b(?:from|import)\s*\(?\s*["'`](\.\/[^"'`]+\.js)["'`]/g
const SHARES = /["'`]\.\/([^"'`/]*localSharedImportMap[^"'`/]*\.js)["'`]/

export function readEntry(text: string): Entry {
  const exported = [...text.matchAll(EXPORTS)].flatMap(([, names]) =>
    names!.split(',').map((name) =>
      name
        .trim()
        .split(/\s+as\s+/)
        .at(-1),
    ),
  )
  const declared = (name: string) =>
    new RegExp(`\\bexport\\s+(?:async\\s+)?(?:function|const|let|var)\\s+${name}\\b`).test(text)
  const isExported = (name: string) => exported.includes(name) || declared(name)
  return {
    isContainer: isExported('get') && isExported('init'),
    isFromDevServer: DEV_SERVER.test(text),
    exposes: [...new Set([...text.matchAll(EXPOSED)].map((match) => match[1]!))],
    federationName: federationNameIn(text),
    parts: [...new Set([...text.matchAll(PART)].map((match) => match[1]!))],
    sharesFile: SHARES.exec(text)?.[1],
  }
}

/** Finds out how React is shared, from the file that lists the shared packages. */
export function readSharedReact(text: string): SharedReact {
  if (!/\busedShared\b/.test(text)) return { state: 'unseen' }
  const match = /(?:^|[{,\s])["'`]?react["'`]?\s*:[^}]*?\brequiredVersion\s*:\s*["'`]([^"'`]+)["'`]/.exec(text)
  return match ? { state: 'shared', requiredVersion: match[1]! } : { state: 'own' }
}
