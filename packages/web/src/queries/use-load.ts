import type { ChangeKind } from '@storey/sdk'
import { hashKey, keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { markSent, useChanges } from './changes.tsx'
import { type PollingOptions, polling } from './polling.ts'

export interface Loading<T> {
  /** The last response; it stays during a refetch. */
  data: T | undefined
  error: unknown
  /** True until the first response or failure and during `reload`, not during polls. */
  isLoading: boolean
  /** With `keepsPrevious`: whether `data` belongs to the previous key. */
  isPrevious: boolean
  reload(): void
  /** Replaces the data without a request. */
  setData(data: T): void
}

interface LoadOptions<T> extends Omit<PollingOptions<T>, 'isReported'> {
  /**
   * Refetches when the live channel reports a change of this kind. While the channel is live, the query polls only
   * until its first response and after a failure.
   */
  changes?: ChangeKind
  /**
   * If the user returns to the page within `CACHE_MS`, the page shows the old data until the new response arrives,
   * unless an action has cleared the cache in between (`queries.tsx`).
   */
  isCached?: boolean
  /** False: sends no request, and keeps the data. For a page that deletes its record and must not read it again. */
  isEnabled?: boolean
  /** While the data of a new key is loading, the data of the previous key stays. */
  keepsPrevious?: boolean
}

const CACHE_MS = 300_000

/**
 * Loads data with TanStack Query, and again when the options require it. The key contains everything that the data
 * depends on; two components with the same key share one request. A failed request is repeated when the user returns to
 * the tab.
 */
export function useLoad<T>(
  key: readonly unknown[],
  load: (signal: AbortSignal) => Promise<T>,
  { isCached = false, keepsPrevious = false, isEnabled = true, changes, ...options }: LoadOptions<T> = {},
): Loading<T> {
  const client = useQueryClient()
  const { isLive, isReady } = useChanges()
  const hash = hashKey(key)
  const query = useQuery<T, unknown>({
    queryKey: key,
    queryFn({ signal }) {
      markSent(client.getQueryCache().get(hash))
      return load(signal)
    },
    ...polling({ ...options, isReported: isLive && changes !== undefined }),
    meta: { changes },
    enabled: isEnabled && (isReady || changes === undefined),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
    // A cached list is refetched on every visit, because it may have changed.
    ...(isCached ? { gcTime: CACHE_MS, refetchOnMount: 'always' } : {}),
  })

  const [reloading, setReloading] = useState<string>()
  const { refetch } = query
  const reload = useCallback(() => {
    setReloading(hash)
    void refetch().finally(() => setReloading(undefined))
  }, [refetch, hash])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the hash represents the key
  const setData = useCallback((data: T) => client.setQueryData<T>(key, data), [client, hash])

  const error = usePersistentError(hash, query.status, query.error)
  const isFirst = query.status === 'pending' && error === undefined
  return {
    data: query.data,
    error,
    isLoading: isFirst || reloading === hash,
    isPrevious: query.isPlaceholderData,
    reload,
    setData,
  }
}

/**
 * Keeps the error of a query without data until the query succeeds or the key changes. TanStack Query clears the error
 * on each retry, which would make the page flicker.
 */
function usePersistentError(hash: string, status: 'pending' | 'error' | 'success', error: unknown): unknown {
  const last = useRef<{ hash: string; error: unknown }>(undefined)
  if (status === 'error') last.current = { hash, error }
  else if (status === 'success' || last.current?.hash !== hash) last.current = undefined
  return last.current?.error
}
