import { useEffect, useMemo, useSyncExternalStore } from 'react'

export interface Route {
  path: string
  query: URLSearchParams
  hash: string
}

const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('popstate', tell)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('popstate', tell)
  }
}

/** Goes to a page of this app. `replace` leaves no step to come back to. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else {
    history.pushState(null, '', to)
    scrollTo(0, 0)
  }
  tell()
  // A reader of the screen goes on with the new page, and not with the link that is gone.
  requestAnimationFrame(() => document.getElementById('main')?.focus({ preventScroll: true }))
}

/** Changes some parameters of the address; null takes one away. */
export function setQuery(changes: Record<string, string | null>, { replace = true }: { replace?: boolean } = {}): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  const text = query.size === 0 ? '' : `?${query}`
  const to = location.pathname + text + location.hash
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  tell()
}

export function useRoute(): Route {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search + location.hash)
  return useMemo(() => {
    const { pathname, searchParams, hash } = new URL(address, location.origin)
    return { path: pathname, query: searchParams, hash }
  }, [address])
}

/** The path alone: a parameter that changes does not render again who only asks where one is. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname)
}

/** The title of the document while a page is shown: "Keys · Storey portal". */
export function useTitle(title: string, app = 'Storey'): void {
  useEffect(() => {
    document.title = title === '' ? app : `${title} · ${app}`
  }, [title, app])
}
