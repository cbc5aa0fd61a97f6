import { StoreyError } from '@storey/sdk'
import { useCallback, useEffect, useRef, useState } from 'react'
import { onReturn } from './on-return.ts'
import { pauseAfterFailure } from './pause.ts'
import { sameData } from './same-data.ts'

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
  /**
   * Milliseconds until it is asked for again, by what came; undefined: not by itself. It waits while nobody looks. A
   * failure does not end that, but for a 404: what is gone does not come back.
   */
  again?: (data: T) => number | undefined
  /** Asked for again whenever the tab is looked at again: others may have changed it meanwhile. */
  onReturn?: boolean
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
 * failed is asked for again when the browser is back: online, or looked at. An answer that says the same as the last one
 * is the last one, so that nothing on the page moves.
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
    let isDue = false
    let answeredAt = 0
    setState((before) => (before.key === key ? { ...before, isLoading: true } : nothing(key)))
    const once = async () => {
      if (isAsking) return
      isAsking = true
      isDue = false
      clearTimeout(timer)
      try {
        const data = await latest.current.load(ending.signal)
        if (ending.signal.aborted) return
        setState((before) => answered(before, key, data))
        failures = 0
        pause = latest.current.options.again?.(data)
        if (pause !== undefined) timer = setTimeout(onceInSight, pause)
      } catch (error) {
        if (ending.signal.aborted) return
        setState(({ data }) => ({ key, data, error, isLoading: false }))
        failures += 1
        if (pause !== undefined && !isGone(error)) timer = setTimeout(onceInSight, pauseAfterFailure(pause, failures))
      } finally {
        isAsking = false
        answeredAt = Date.now()
      }
    }
    const onceInSight = () => {
      if (document.hidden) isDue = true
      else void once()
    }
    void once()
    const forget = onReturn(() => {
      if (failures > 0 || isDue) void once()
      else if (latest.current.options.onReturn && !isAsking) {
        clearTimeout(timer)
        timer = setTimeout(once, Math.min(APART_MS, Math.max(0, answeredAt + APART_MS - Date.now())))
      }
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

/** One return to the tab is told in several ways, and some go back and forth. */
const APART_MS = 500

function answered<T>(before: State<T>, key: string, data: T): State<T> {
  if (before.key !== key || !sameData(before.data, data)) return { key, data, error: undefined, isLoading: false }
  return before.isLoading || before.error !== undefined ? { ...before, error: undefined, isLoading: false } : before
}

/** Whether the service says that there is no such thing. */
export const isGone = (error: unknown): boolean => error instanceof StoreyError && error.status === 404

const nothing = <T>(key: string): State<T> => ({ key, data: undefined, error: undefined, isLoading: true })
