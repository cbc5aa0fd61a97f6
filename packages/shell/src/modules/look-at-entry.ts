import { federationNameIn } from '@storey/contract'
import { loopbackAddress } from './remote-address.ts'

/** What is found at the address of a remote entry, before any of it is run. */
export type EntryState =
  /** With the federation name it was built by, where it tells one. */
  | { kind: 'ready'; builtAs: string | undefined }
  | { kind: 'down' }
  | { kind: 'noCors' }
  /** It sends the browser to where modules are not loaded from; the place, if the browser tells it. */
  | { kind: 'redirects'; to: string | undefined }
  | { kind: 'devServer' }
  | { kind: 'noEntry'; status: number }
  | { kind: 'notJavaScript'; contentType: string }

/** A remote on the same machine that has not answered by then will not. */
const PATIENCE_MS = 10_000

/** How soon the page hears that its policy has stopped a request. */
const TOLD_AFTER_MS = 50

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What is asked of the browser. */
export interface Browser {
  fetch: Fetch
  /** Tells when the policy of the page stops a request to this address on its further way; gives what ends that. */
  onBlocked(url: string, tell: () => void): () => void
}

const pageBrowser: Browser = {
  fetch: (url, init) => globalThis.fetch(url, init),
  onBlocked(url, tell) {
    // The address that was asked for is itself allowed, so that it can only be where it leads.
    const hear = ({ blockedURI }: SecurityPolicyViolationEvent) => {
      if (blockedURI.startsWith(new URL(url).origin)) tell()
    }
    document.addEventListener('securitypolicyviolation', hear)
    return () => document.removeEventListener('securitypolicyviolation', hear)
  },
}

const SCRIPT_TYPES = /^(text|application)\/(x-)?(javascript|ecmascript)\b/i
/** Imports that only a development server writes: a build imports its own files. */
const DEV_IMPORTS = /\b(?:from|import)\s*\(?\s*["']\/(?:@vite|@id|@fs|@react-refresh|node_modules)\b/

/**
 * Fetches the entry and looks. The messages of the federation runtime do not tell a remote that is down from one that
 * lets no other origin in, or a build from a development server.
 */
export async function lookAtEntry(url: string, browser: Browser = pageBrowser): Promise<EntryState> {
  const { fetch } = browser
  const found = await ask(url, browser)
  if ('kind' in found) return found
  const contentType = found.headers.get('content-type') ?? ''
  const text = await found.text().catch(() => '')
  if (DEV_IMPORTS.test(text)) return { kind: 'devServer' }
  if (found.ok && SCRIPT_TYPES.test(contentType)) return { kind: 'ready', builtAs: federationNameIn(text) }
  if (await isDevServer(url, fetch)) return { kind: 'devServer' }
  return found.ok ? { kind: 'notJavaScript', contentType } : { kind: 'noEntry', status: found.status }
}

/** The answer at an address, or why there is none. A redirect is followed to where modules are loaded from. */
async function ask(url: string, { fetch, onBlocked }: Browser): Promise<Response | EntryState> {
  const get = (options: RequestInit) =>
    fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS), ...options }).catch(() => undefined)
  const first = await get({ redirect: 'manual' })
  if (first?.type === 'opaqueredirect') {
    const end = await get({})
    if (end && loopbackAddress(end.url)) return end
    return { kind: 'redirects', to: end?.url }
  }
  if (first) return first
  // An answer that the page may not read is still an answer. Where it leads away, the policy of the page stops it.
  let isBlocked = false
  const end = onBlocked(url, () => {
    isBlocked = true
  })
  const answer = await get({ mode: 'no-cors' })
  // The browser tells of it in a task of its own.
  await new Promise((resolve) => setTimeout(resolve, answer ? 0 : TOLD_AFTER_MS))
  end()
  if (isBlocked) return { kind: 'redirects', to: undefined }
  return { kind: answer ? 'noCors' : 'down' }
}

/** Where there is no entry, the client of a development server may be found in its place. */
async function isDevServer(url: string, fetch: Fetch): Promise<boolean> {
  const answer = await fetch(new URL('/@vite/client', url).href, {
    cache: 'no-store',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => undefined)
  return answer?.ok === true && SCRIPT_TYPES.test(answer.headers.get('content-type') ?? '')
}
