import { StoreyError } from '@storey/sdk'
import { failuresInARow, pauseAfterFailure } from './pause.ts'

/** Where it is to be asked for again, and nothing has come yet that says when. */
const FIRST_PAUSE_MS = 2000

export interface PollingOptions<T> {
  /**
   * Milliseconds until it is asked for again, by what came; undefined: not by itself. It waits while nobody looks. A
   * failure does not end that, but for a 404: what is gone does not come back.
   */
  again?: ((data: T) => number | undefined) | undefined
  /** Asked for again whenever the tab is looked at again: others may have changed it meanwhile. */
  onReturn?: boolean
}

/** What is read of a query of TanStack Query. */
interface Asked<T> {
  state: {
    data: T | undefined
    error: unknown
    status: 'pending' | 'error' | 'success'
    dataUpdatedAt: number
    dataUpdateCount: number
    errorUpdateCount: number
  }
}

/** When a query is asked for again: by time, and when somebody comes back to the tab or the network. */
export function polling<T>({ again, onReturn = false }: PollingOptions<T>) {
  const pauseOf = ({ state }: Asked<T>) => (state.data === undefined ? again && FIRST_PAUSE_MS : again?.(state.data))
  const comeBack = (query: Asked<T>): boolean | 'always' => {
    const pause = pauseOf(query)
    const isDue = pause !== undefined && Date.now() - query.state.dataUpdatedAt >= pause
    return query.state.status === 'error' || isDue ? 'always' : onReturn
  }
  const refetchInterval = (query: Asked<T>): number | false => {
    const pause = pauseOf(query)
    const failures = failuresInARow(query)
    if (pause === undefined || isGone(query.state.error)) return false
    return failures === 0 ? pause : pauseAfterFailure(pause, failures)
  }
  return { refetchInterval, refetchOnWindowFocus: comeBack, refetchOnReconnect: comeBack }
}

/** Whether the service says that there is no such thing. */
export const isGone = (error: unknown): boolean => error instanceof StoreyError && error.status === 404
