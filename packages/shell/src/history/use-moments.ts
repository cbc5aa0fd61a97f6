import type { DiffRecord } from '@storey/sdk'
import { useEffect, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'

export interface Diffs {
  data: DiffRecord | undefined
  error: unknown
  isLoading: boolean
  reload(): void
}

/** A slider passes many revisions on its way: only where it rests is asked for. */
const REST_MS = 200
const KEPT = 40

/** What differs between two moments; undefined asks for nothing. Past answers do not change and are kept. */
export function useDiff(from: string | undefined, to: string | undefined): Diffs {
  const { api } = useShell()
  const kept = useRef(new Map<string, DiffRecord>())
  const [state, setState] = useState<{ key: string; data?: DiffRecord; error?: unknown }>({ key: '' })
  const [round, setRound] = useState(0)
  const key = from === undefined || to === undefined ? '' : `${from}\n${to}`

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks again
  useEffect(() => {
    if (from === undefined || to === undefined) return setState({ key: '' })
    const known = kept.current.get(key)
    if (known) return setState({ key, data: known })
    const ending = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const data = await api.diff({ from, to }, { signal: ending.signal })
        if (ending.signal.aborted) return
        if (kept.current.size >= KEPT) kept.current.clear()
        kept.current.set(key, data)
        setState({ key, data })
      } catch (error) {
        if (!ending.signal.aborted) setState({ key, error })
      }
    }, REST_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [api, key, round])

  const isThis = state.key === key
  return {
    data: isThis ? state.data : undefined,
    error: isThis ? state.error : undefined,
    isLoading: key !== '' && !isThis,
    reload: () => setRound((n) => n + 1),
  }
}
