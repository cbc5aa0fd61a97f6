/** What a tab stores across reloads. Access tokens are only in memory. */
export interface TabStorage {
  refreshToken: string | undefined
  /** The parameters of a sign-in in progress. */
  pending: Pending | undefined
  /** Whether the user has just signed out in this tab. The next page reads it once and starts no sign-in. */
  wasSignedOut: boolean
}

export interface Pending {
  state: string
  nonce: string
  verifier: string
  returnTo: string
}

const keyOf = (clientId: string) => `storey.session.${clientId}`

export function tabStorage(clientId: string): TabStorage {
  const key = keyOf(clientId)
  const read = (): Record<string, unknown> => JSON.parse(sessionStorage.getItem(key) ?? '{}')
  const write = (name: string, value: unknown) => {
    const stored = read()
    if (value === undefined) delete stored[name]
    else stored[name] = value
    sessionStorage.setItem(key, JSON.stringify(stored))
  }
  return {
    get refreshToken() {
      return read().refreshToken as string | undefined
    },
    set refreshToken(value) {
      write('refreshToken', value)
    },
    get pending() {
      return read().pending as Pending | undefined
    },
    set pending(value) {
      write('pending', value)
    },
    get wasSignedOut() {
      return read().wasSignedOut === true
    },
    set wasSignedOut(value) {
      write('wasSignedOut', value || undefined)
    },
  }
}

const TAB_KEY = 'storey.tab'
const LOCK_TIMEOUT_MS = 500

/**
 * Whether the session storage belongs to this tab. A duplicated tab starts with a copy of the storage, and a refresh
 * token that is used twice ends both sessions, so each tab holds a lock while it is open.
 */
export async function ownsStorage(): Promise<boolean> {
  const id = sessionStorage.getItem(TAB_KEY) ?? crypto.randomUUID()
  if (await acquireLock(id)) {
    sessionStorage.setItem(TAB_KEY, id)
    return true
  }
  const own = crypto.randomUUID()
  sessionStorage.setItem(TAB_KEY, own)
  await acquireLock(own)
  return false
}

/** Waits a moment, because a page that is being reloaded releases its lock late. */
function acquireLock(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks
      .request(`storey.tab.${id}`, { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) }, () => {
        resolve(true)
        return new Promise(() => undefined)
      })
      .catch(() => resolve(false))
  })
}
