import { useEffect, useMemo, useSyncExternalStore } from 'react'

export interface Route {
  path: string
  query: URLSearchParams
  hash: string
}

const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('popstate', notify)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('popstate', notify)
  }
}

/** Opens a page of this app. `replace` adds no entry to the browser's history. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else {
    history.pushState(null, '', to)
    scrollTo(0, 0)
  }
  notify()
  // The focus moves, so that a screen reader continues on the new page.
  requestAnimationFrame(() => document.getElementById('main')?.focus({ preventScroll: true }))
}

/** Changes query parameters; null removes one. */
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
  notify()
}

export function useRoute(): Route {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search + location.hash)
  return useMemo(() => {
    const { pathname, searchParams, hash } = new URL(address, location.origin)
    return { path: pathname, query: searchParams, hash }
  }, [address])
}

/** The path without the query, so that a change of a query parameter does not render the component again. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname)
}

/** Sets the document title, such as "API keys · Storey portal". */
export function useTitle(title: string, app = 'Storey'): void {
  useEffect(() => {
    document.title = title === '' ? app : `${title} · ${app}`
  }, [title, app])
}
