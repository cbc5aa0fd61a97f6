import { hashKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { type PollingOptions, polling } from './polling.ts'

export interface Loading<T> {
  /** The last answer; it stays while it is asked for again. */
  data: T | undefined
  error: unknown
  /** True for the first answer and for a reload, not for polls. */
  isLoading: boolean
  reload(): void
  /** Puts what is known already in the place of the answer. */
  setData(data: T): void
}

interface LoadOptions<T> extends PollingOptions<T> {
  /** The next visit of the page begins with this answer, and replaces it as soon as the new one is there. */
  isKept?: boolean
}

const KEPT_MS = 300_000

/**
 * TanStack Query, with the polling of these pages. The key names the answer and has everything that it depends on: two
 * parts of a page with the same key share one request. What failed is asked for again when the browser is back.
 */
export function useLoad<T>(
  key: readonly unknown[],
  load: (signal: AbortSignal) => Promise<T>,
  { isKept = false, ...options }: LoadOptions<T> = {},
): Loading<T> {
  const client = useQueryClient()
  const hash = hashKey(key)
  const query = useQuery<T, unknown>({
    queryKey: key,
    queryFn: ({ signal }) => load(signal),
    ...polling(options),
    // However short the way back was, something may have changed on it.
    ...(isKept ? { gcTime: KEPT_MS, refetchOnMount: 'always' } : {}),
  })

  const [reloading, setReloading] = useState<string>()
  const { refetch } = query
  const reload = useCallback(() => {
    setReloading(hash)
    void refetch().finally(() => setReloading(undefined))
  }, [refetch, hash])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the hash stands for the key
  const setData = useCallback((data: T) => client.setQueryData<T>(key, data), [client, hash])

  const error = useLastingError(hash, query.status, query.error)
  const isFirst = query.status === 'pending' && error === undefined
  return { data: query.data, error, isLoading: isFirst || reloading === hash, reload, setData }
}

/** A query without an answer forgets its error as soon as it is asked for again; a page would flicker with each try. */
function useLastingError(hash: string, status: 'pending' | 'error' | 'success', error: unknown): unknown {
  const last = useRef<{ hash: string; error: unknown }>(undefined)
  if (status === 'error') last.current = { hash, error }
  else if (status === 'success' || last.current?.hash !== hash) last.current = undefined
  return last.current?.error
}
