import { useCallback, useEffect, useRef, useState } from 'react'
import { SessionOver } from '../session/session.ts'
import { useSessionEnd } from '../session/session-context.ts'

export interface Action<Args extends unknown[]> {
  /** True when it went well. A second call while one runs does nothing. */
  run(...args: Args): Promise<boolean>
  isBusy: boolean
  error: unknown
  clear(): void
}

/** Something a person starts: it is busy, and then done or refused. */
export function useAction<Args extends unknown[]>(act: (...args: Args) => Promise<void>): Action<Args> {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: undefined })
  const sessionEnd = useSessionEnd()
  const latest = useRef({ act, sessionEnd })
  latest.current = { act, sessionEnd }
  const isRunning = useRef(false)
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])

  const run = useCallback(async (...args: Args) => {
    if (isRunning.current) return false
    isRunning.current = true
    setState({ isBusy: true, error: undefined })
    try {
      await latest.current.act(...args)
      if (!isGone.current) setState({ isBusy: false, error: undefined })
      return true
    } catch (error) {
      if (error instanceof SessionOver) latest.current.sessionEnd?.remind()
      if (!isGone.current) setState({ isBusy: false, error })
      return false
    } finally {
      isRunning.current = false
    }
  }, [])
  const clear = useCallback(() => setState({ isBusy: false, error: undefined }), [])
  return { ...state, run, clear }
}
