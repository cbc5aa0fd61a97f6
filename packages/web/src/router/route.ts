import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { onAddress, pushAddress, replaceAddress, shownAddress } from './history.ts'
import { unsaved } from './unsaved.ts'

export interface Route {
  path: string
  query: URLSearchParams
  hash: string
}

interface NavigateOptions {
  /** Adds no entry to the browser's history. */
  replace?: boolean
}

/** Opens a page of this app. If a form has unsaved input, asks first, unless the path stays the same. */
export function navigate(to: string, options: NavigateOptions = {}): void {
  const isSamePage = new URL(to, location.href).pathname === location.pathname
  if (isSamePage) leaveTo(to, options)
  else unsaved.ask(() => leaveTo(to, options))
}

/** Opens a page of this app, and does not ask about unsaved input. */
export function leaveTo(to: string, { replace = false }: NavigateOptions = {}): void {
  if (replace) replaceAddress(to)
  else {
    pushAddress(to)
    scrollTo(0, 0)
  }
  // The focus moves, so that a screen reader continues on the new page.
  requestAnimationFrame(() => document.getElementById('main')?.focus({ preventScroll: true }))
}

/** Changes query parameters. The value null removes a parameter. */
export function setQuery(changes: Record<string, string | null>, { replace = true }: NavigateOptions = {}): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  const text = query.size === 0 ? '' : `?${query}`
  const to = location.pathname + text + location.hash
  if (replace) replaceAddress(to)
  else pushAddress(to)
}

export function useRoute(): Route {
  const address = useSyncExternalStore(onAddress, shownAddress)
  return useMemo(() => {
    const { pathname, searchParams, hash } = new URL(address, location.origin)
    return { path: pathname, query: searchParams, hash }
  }, [address])
}

/** The path without the query, so that a change of a query parameter does not render the component again. */
export function usePath(): string {
  return useSyncExternalStore(onAddress, () => new URL(shownAddress(), location.origin).pathname)
}

/** Sets the document title, such as "API keys · Storey portal". */
export function useTitle(title: string, app = 'Storey'): void {
  useEffect(() => {
    document.title = title === '' ? app : `${title} · ${app}`
  }, [title, app])
}
