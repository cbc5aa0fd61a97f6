import { useCallback, useEffect, useRef, useState } from 'react'

export interface Loading<T> {
  /** The last answer; it stays while it is asked for again. */
  data: T | undefined
  error: unknown
  isLoading: boolean
  reload(): void
  /** Puts what is known already in the place of the answer. */
  setData(data: T): void
}

interface LoadOptions<T> {
  /** Milliseconds until it is asked for again, by what came; undefined: not by itself. */
  again?: (data: T) => number | undefined
}

interface State<T> {
  /** What the answer depends on. */
  key: string
  data: T | undefined
  error: unknown
  isLoading: boolean
}

/** Loads when something it depends on changes, forgets the answers of earlier ones, and polls where it is told to. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  options: LoadOptions<T> = {},
): Loading<T> {
  const key = JSON.stringify(deps)
  const [state, setState] = useState<State<T>>({ key, data: undefined, error: undefined, isLoading: true })
  const [round, setRound] = useState(0)
  const latest = useRef({ load, options })
  latest.current = { load, options }

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for what the loader depends on, `round` asks again
  useEffect(() => {
    const ending = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    setState((before) => (before.key === key ? { ...before, isLoading: true } : nothing(key)))
    const once = async () => {
      try {
        const data = await latest.current.load(ending.signal)
        if (ending.signal.aborted) return
        setState({ key, data, error: undefined, isLoading: false })
        const pause = latest.current.options.again?.(data)
        if (pause !== undefined) timer = setTimeout(once, pause)
      } catch (error) {
        if (!ending.signal.aborted) setState(({ data }) => ({ key, data, error, isLoading: false }))
      }
    }
    void once()
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [key, round])

  const reload = useCallback(() => setRound((n) => n + 1), [])
  const setData = useCallback((data: T) => setState({ key, data, error: undefined, isLoading: false }), [key])
  // In the render between the change and its effect, the state is still that of what was asked for before.
  const { data, error, isLoading } = state.key === key ? state : nothing<T>(key)
  return { data, error, isLoading, reload, setData }
}

const nothing = <T>(key: string): State<T> => ({ key, data: undefined, error: undefined, isLoading: true })
