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
  const [state, setState] = useState<State<T>>({ data: undefined, error: undefined, isLoading: true })
  const [round, setRound] = useState(0)
  const latest = useRef({ load, options })
  latest.current = { load, options }
  const key = JSON.stringify(deps)
  const shown = useRef(key)

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for what the loader depends on, `round` asks again
  useEffect(() => {
    const ending = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const isOther = shown.current !== key
    shown.current = key
    setState(({ data, error }) => ({ data: isOther ? undefined : data, error, isLoading: true }))
    const once = async () => {
      try {
        const data = await latest.current.load(ending.signal)
        if (ending.signal.aborted) return
        setState({ data, error: undefined, isLoading: false })
        const pause = latest.current.options.again?.(data)
        if (pause !== undefined) timer = setTimeout(once, pause)
      } catch (error) {
        if (!ending.signal.aborted) setState(({ data }) => ({ data, error, isLoading: false }))
      }
    }
    void once()
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [key, round])

  const reload = useCallback(() => setRound((n) => n + 1), [])
  const setData = useCallback((data: T) => setState({ data, error: undefined, isLoading: false }), [])
  return { ...state, reload, setData }
}
