import { useMutation } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { SessionEndedError } from '../session/session.ts'
import { useSessionEnd } from '../session/session-context.ts'

export interface Action<Args extends unknown[]> {
  /**
   * Resolves to true on success, and to false on failure. While the action runs, another call does nothing and resolves
   * to false.
   */
  run(...args: Args): Promise<boolean>
  isBusy: boolean
  error: unknown
  clear(): void
}

/** An action that the user starts, with its busy state and error. */
export function useAction<Args extends unknown[]>(act: (...args: Args) => Promise<void>): Action<Args> {
  const sessionEnd = useSessionEnd()
  const { mutateAsync, isPending, error, reset } = useMutation<void, unknown, Args>({
    mutationFn: (args) => act(...args),
    onError: (failure) => {
      if (failure instanceof SessionEndedError) sessionEnd?.remind()
    },
  })
  // Two clicks can arrive before the page renders the busy state.
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
