import { focusManager, MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { shareUnchanged } from './share-unchanged.ts'

/** One return to the tab can fire several focus and visibility events. Within this time they cause one refetch. */
const DEDUPE_MS = 500

export function createQueryClient(): QueryClient {
  // An action may change data that is cached for other pages, so the cache is cleared when the action ends, and also
  // when it fails, because a failed action can have had an effect. The cache is cleared at the start too, because the
  // action itself may navigate to a page with cached data. The data of a page that is open stays, even if it is disabled
  // because the page deletes its record: if that fails, the page shows the record and the error.
  const clearUnused = () => client.removeQueries({ predicate: (query) => query.getObserversCount() === 0 })
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({ onMutate: clearUnused, onSettled: clearUnused }),
    defaultOptions: {
      queries: {
        // The SDK retries by itself, and the page shows how long the SDK waits.
        retry: false,
        // A service on the same machine works while the browser is offline.
        networkMode: 'always',
        staleTime: DEDUPE_MS,
        // A form must not start from old data. Lists opt in to caching with isCached.
        gcTime: 0,
        structuralSharing: shareUnchanged,
      },
      mutations: { networkMode: 'always' },
    },
  })
  return client
}

/** TanStack Query listens for visibilitychange only, which may not fire for a window that was behind another. */
function listenForFocus(): void {
  focusManager.setEventListener((onFocus) => {
    const listener = () => onFocus()
    addEventListener('focus', listener)
    document.addEventListener('visibilitychange', listener)
    return () => {
      removeEventListener('focus', listener)
      document.removeEventListener('visibilitychange', listener)
    }
  })
}

/** Wraps everything that loads or changes data. */
export function Queries({ children }: { children: ReactNode }): ReactNode {
  const [client] = useState(createQueryClient)
  useEffect(listenForFocus, [])
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}
