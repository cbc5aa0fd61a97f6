import type { DiffRecord } from '@storey/sdk'
import { useEffect, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { isRevisionNumber } from './revision-at.ts'

export interface DiffState {
  data: DiffRecord | undefined
  error: unknown
  isLoading: boolean
  reload(): void
}

/** The diff is loaded when `from` and `to` have not changed for this time: a moving slider changes them often. */
const DEBOUNCE_MS = 200
const MAX_CACHED = 40

/**
 * Loads the diff between two revisions, or nothing if one of them is undefined. The diff between two revision numbers
 * is cached, because it never changes.
 */
export function useDiff(from: string | undefined, to: string | undefined): DiffState {
  const { api } = useShell()
  const cache = useRef(new Map<string, DiffRecord>())
  const [state, setState] = useState<{ key: string; data?: DiffRecord; error?: unknown }>({ key: '' })
  const [attempt, setAttempt] = useState(0)
  const key = from === undefined || to === undefined ? '' : `${from}\n${to}`

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `attempt` loads the diff again
  useEffect(() => {
    if (from === undefined || to === undefined) return setState({ key: '' })
    const known = cache.current.get(key)
    if (known) return setState({ key, data: known })
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const data = await api.diff({ from, to }, { signal: abort.signal })
        if (abort.signal.aborted) return
        if (isRevisionNumber(from) && isRevisionNumber(to)) {
          if (cache.current.size >= MAX_CACHED) cache.current.clear()
          cache.current.set(key, data)
        }
        setState({ key, data })
      } catch (error) {
        if (!abort.signal.aborted) setState({ key, error })
      }
    }, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [api, key, attempt])

  const isCurrent = state.key === key
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: key !== '' && !isCurrent,
    reload: () => setAttempt((n) => n + 1),
  }
}
