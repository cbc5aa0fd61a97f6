/** What is found at the address of a remote entry, before any of it is run. */
export type EntryState =
  | { kind: 'ready' }
  | { kind: 'down' }
  | { kind: 'noCors' }
  | { kind: 'devServer' }
  | { kind: 'noEntry'; status: number }
  | { kind: 'notJavaScript'; contentType: string }

/** A remote on the same machine that has not answered by then will not. */
const PATIENCE_MS = 10_000

type Fetch = (url: string, init: RequestInit) => Promise<Response>

const SCRIPT_TYPES = /^(text|application)\/(x-)?(javascript|ecmascript)\b/i
/** Imports that only a development server writes: a build imports its own files. */
const DEV_IMPORTS = /\b(?:from|import)\s*\(?\s*["']\/(?:@vite|@id|@fs|@react-refresh|node_modules)\b/

/**
 * Fetches the entry and looks. The messages of the federation runtime do not tell a remote that is down from one that
 * lets no other origin in, or a build from a development server.
 */
export async function lookAtEntry(url: string, fetch: Fetch = globalThis.fetch): Promise<EntryState> {
  const answer = await fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    () => undefined,
  )
  if (!answer) return { kind: (await isThere(url, fetch)) ? 'noCors' : 'down' }
  const contentType = answer.headers.get('content-type') ?? ''
  const text = await answer.text().catch(() => '')
  if (DEV_IMPORTS.test(text)) return { kind: 'devServer' }
  if (answer.ok && SCRIPT_TYPES.test(contentType)) return { kind: 'ready' }
  if (await isDevServer(url, fetch)) return { kind: 'devServer' }
  return answer.ok ? { kind: 'notJavaScript', contentType } : { kind: 'noEntry', status: answer.status }
}

/** An answer that the page may not read is still an answer. */
const isThere = (url: string, fetch: Fetch): Promise<boolean> =>
  fetch(url, { mode: 'no-cors', cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) }).then(
    () => true,
    () => false,
  )

/** Where there is no entry, the client of a development server may be found in its place. */
async function isDevServer(url: string, fetch: Fetch): Promise<boolean> {
  const answer = await fetch(new URL('/@vite/client', url).href, {
    cache: 'no-store',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => undefined)
  return answer?.ok === true && SCRIPT_TYPES.test(answer.headers.get('content-type') ?? '')
}
