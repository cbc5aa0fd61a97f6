/** What a tab keeps over a reload. Tokens for calls are never in it: they live in memory. */
export interface TabStorage {
  refreshToken: string | undefined
  /** What was sent to the provider with a sign-in under way. */
  pending: Pending | undefined
  /** Whether this tab was left by signing out. */
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
    const kept = read()
    if (value === undefined) delete kept[name]
    else kept[name] = value
    sessionStorage.setItem(key, JSON.stringify(kept))
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
const OWNING_LIMIT_MS = 500

/**
 * Whether what the tab keeps is its own. A duplicated tab starts with a copy of its origin's storage, and a refresh
 * token that is used twice ends both sessions; so the first holds a lock for as long as it lives.
 */
export async function ownsStorage(): Promise<boolean> {
  const id = sessionStorage.getItem(TAB_KEY) ?? crypto.randomUUID()
  if (await hold(id)) {
    sessionStorage.setItem(TAB_KEY, id)
    return true
  }
  const own = crypto.randomUUID()
  sessionStorage.setItem(TAB_KEY, own)
  await hold(own)
  return false
}

/** A page that is being reloaded may take a moment to let go. */
function hold(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks
      .request(`storey.tab.${id}`, { signal: AbortSignal.timeout(OWNING_LIMIT_MS) }, () => {
        resolve(true)
        return new Promise(() => undefined)
      })
      .catch(() => resolve(false))
  })
}
