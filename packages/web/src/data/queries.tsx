import { focusManager, MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { shareAnswers } from './share-answers.ts'

/** One return to the tab is reported in several ways, and some go back and forth. */
const APART_MS = 500

export function createQueryClient(): QueryClient {
  // Answers that are kept for other pages may be wrong after a change: those pages load again before they show anything.
  // That holds from its start, since an action may itself go on to such a page, and where its outcome is not known.
  const forget = () => client.removeQueries({ type: 'inactive' })
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({ onMutate: forget, onSettled: forget }),
    defaultOptions: {
      queries: {
        // The SDK retries what can be retried, and the page shows how long that takes.
        retry: false,
        // Whether the browser believes to be online says nothing of a service on this machine.
        networkMode: 'always',
        staleTime: APART_MS,
        // A form must not start from an old answer: lists are kept where they say so.
        gcTime: 0,
        structuralSharing: shareAnswers,
      },
      mutations: { networkMode: 'always' },
    },
  })
  return client
}

/** TanStack Query listens for visibility alone; a window that was behind another is also looked at again. */
function listenForReturn(): void {
  focusManager.setEventListener((onFocus) => {
    const look = () => onFocus()
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  })
}

/** Around everything that loads or changes data. */
export function Queries({ children }: { children: ReactNode }): ReactNode {
  const [client] = useState(createQueryClient)
  useEffect(listenForReturn, [])
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}
