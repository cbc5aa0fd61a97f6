import { federationNameIn } from '@storey/contract'
import { loopbackAddress } from './allowed-address.ts'

/**
 * What a request to the URL of a remote entry finds, before the browser runs any code of the module. The remote entry
 * is the first file of a Module Federation build.
 */
export type EntryState =
  /** `builtAs` is the federation name of the build (`name` in its vite.config.ts), if the code contains it. */
  | { kind: 'ready'; builtAs: string | undefined }
  | { kind: 'down' }
  | { kind: 'noCors' }
  /** The URL redirects to a URL from which modules may not be loaded. `to` is undefined if the browser hides it. */
  | { kind: 'redirects'; to: string | undefined }
  | { kind: 'devServer' }
  | { kind: 'noEntry'; status: number }
  | { kind: 'notJavaScript'; contentType: string }

/** The time limit of each request, which is long enough for a remote on the same machine. */
const TIMEOUT_MS = 10_000

/** How long to wait for the browser to report a request that the Content-Security-Policy blocked. */
const VIOLATION_DELAY_MS = 50

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The part of the browser that the check uses. */
export interface Browser {
  fetch: Fetch
  /**
   * Calls the listener when the Content-Security-Policy blocks a redirect of this URL. Returns a function to
   * unsubscribe.
   */
  onBlocked(url: string, listener: () => void): () => void
}

const pageBrowser: Browser = {
  fetch: (url, init) => globalThis.fetch(url, init),
  onBlocked(url, listener) {
    // The URL itself is allowed, so a violation can only come from its redirect.
    const onViolation = ({ blockedURI }: SecurityPolicyViolationEvent) => {
      if (blockedURI.startsWith(new URL(url).origin)) listener()
    }
    document.addEventListener('securitypolicyviolation', onViolation)
    return () => document.removeEventListener('securitypolicyviolation', onViolation)
  },
}

const SCRIPT_TYPES = /^(text|application)\/(x-)?(javascript|ecmascript)\b/i
/** Imports that only a development server generates. A build imports its own files. */
const DEV_IMPORTS = /\b(?:from|import)\s*\(?\s*["']\/(?:@vite|@id|@fs|@react-refresh|node_modules)\b/

/**
 * Fetches the entry and checks it; `allowed-address.ts` has decided before that its address is allowed. The errors of the
 * federation runtime do not distinguish a remote that is down from one without CORS, or a build from a development server.
 */
export async function checkEntry(url: string, browser: Browser = pageBrowser): Promise<EntryState> {
  const { fetch } = browser
  const found = await fetchEntry(url, browser)
  if ('kind' in found) return found
  const contentType = found.headers.get('content-type') ?? ''
  const text = await found.text().catch(() => '')
  if (DEV_IMPORTS.test(text)) return { kind: 'devServer' }
  if (found.ok && SCRIPT_TYPES.test(contentType)) return { kind: 'ready', builtAs: federationNameIn(text) }
  if (await isDevServer(url, fetch)) return { kind: 'devServer' }
  return found.ok ? { kind: 'notJavaScript', contentType } : { kind: 'noEntry', status: found.status }
}

/**
 * The response, or why there is none. After a redirect, a response counts only if modules may be loaded from its URL.
 */
async function fetchEntry(url: string, { fetch, onBlocked }: Browser): Promise<Response | EntryState> {
  const get = (options: RequestInit) =>
    fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS), ...options }).catch(() => undefined)
  const first = await get({ redirect: 'manual' })
  if (first?.type === 'opaqueredirect') {
    const end = await get({})
    if (end && loopbackAddress(end.url)) return end
    return { kind: 'redirects', to: end?.url }
  }
  if (first) return first
  // A no-cors request succeeds if the server is up, unless the Content-Security-Policy blocks its redirect.
  let isBlocked = false
  const unsubscribe = onBlocked(url, () => {
    isBlocked = true
  })
  const opaque = await get({ mode: 'no-cors' })
  // The browser reports a violation in a later task.
  await new Promise((resolve) => setTimeout(resolve, opaque ? 0 : VIOLATION_DELAY_MS))
  unsubscribe()
  if (isBlocked) return { kind: 'redirects', to: undefined }
  return { kind: opaque ? 'noCors' : 'down' }
}

/** A development server may have no entry, but it serves the client script of Vite. */
async function isDevServer(url: string, fetch: Fetch): Promise<boolean> {
  const response = await fetch(new URL('/@vite/client', url).href, {
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined)
  return response?.ok === true && SCRIPT_TYPES.test(response.headers.get('content-type') ?? '')
}
