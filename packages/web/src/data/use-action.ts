import { useMutation } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
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
  const sessionEnd = useSessionEnd()
  const { mutateAsync, isPending, error, reset } = useMutation<void, unknown, Args>({
    mutationFn: (args) => act(...args),
    onError: (refusal) => {
      if (refusal instanceof SessionOver) sessionEnd?.remind()
    },
  })
  // Two clicks may come before the page shows that it is busy.
  const isRunning = useRef(false)
  const run = useCallback(
    async (...args: Args) => {
      if (isRunning.current) return false
      isRunning.current = true
      return await mutateAsync(args)
        .then(() => true)
        .catch(() => false)
        .finally(() => {
          isRunning.current = false
        })
    },
    [mutateAsync],
  )
  return { run, isBusy: isPending, error: error ?? undefined, clear: reset }
}
