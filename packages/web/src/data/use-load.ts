import { useCallback, useEffect, useRef, useState } from 'react'
import { onReturn } from './on-return.ts'
import { pauseAfterFailure } from './pause.ts'

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
  /** Milliseconds until it is asked for again, by what came; undefined: not by itself. A failure does not end that. */
  again?: (data: T) => number | undefined
}

interface State<T> {
  /** What the answer depends on. */
  key: string
  data: T | undefined
  error: unknown
  isLoading: boolean
}

/**
 * Loads when something it depends on changes, forgets the answers of earlier ones, and polls where it is told to. What
 * failed is asked for again when the browser is back: online, or looked at.
 */
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
    let pause: number | undefined = latest.current.options.again && FIRST_PAUSE_MS
    let failures = 0
    let isAsking = false
    setState((before) => (before.key === key ? { ...before, isLoading: true } : nothing(key)))
    const once = async () => {
      if (isAsking) return
      isAsking = true
      clearTimeout(timer)
      try {
        const data = await latest.current.load(ending.signal)
        if (ending.signal.aborted) return
        setState({ key, data, error: undefined, isLoading: false })
        failures = 0
        pause = latest.current.options.again?.(data)
        if (pause !== undefined) timer = setTimeout(once, pause)
      } catch (error) {
        if (ending.signal.aborted) return
        setState(({ data }) => ({ key, data, error, isLoading: false }))
        failures += 1
        if (pause !== undefined) timer = setTimeout(once, pauseAfterFailure(pause, failures))
      } finally {
        isAsking = false
      }
    }
    void once()
    const forget = onReturn(() => {
      if (failures > 0) void once()
    })
    return () => {
      forget()
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

/** Where it is to be asked for again, and nothing has come yet that says when. */
const FIRST_PAUSE_MS = 2000

const nothing = <T>(key: string): State<T> => ({ key, data: undefined, error: undefined, isLoading: true })
