import { StoreyError } from '@storey/sdk'
import { backoffMs, consecutiveFailures } from './backoff.ts'

/** The interval until the first response, for queries that poll. */
const FIRST_INTERVAL_MS = 2000

export interface PollingOptions<T> {
  /**
   * The time until the next poll, from the current data; undefined stops polling. A hidden tab does not poll. Polling
   * continues after a failure, except after a 404: a deleted record does not come back.
   */
  pollMs?: ((data: T) => number | undefined) | undefined
  /** True if the live channel reports changes: the query polls only until the first response and after a failure. */
  isReported?: boolean
  /** Refetches when the user returns to the tab, even if no poll is due, because others may have changed the data. */
  refetchOnFocus?: boolean
}

/** The part of a TanStack Query that polling reads. */
interface QueryLike<T> {
  state: {
    data: T | undefined
    error: unknown
    status: 'pending' | 'error' | 'success'
    dataUpdatedAt: number
    dataUpdateCount: number
    errorUpdateCount: number
  }
}

/** When a query is fetched again: after an interval, on focus, and when the network is back. */
export function polling<T>({ pollMs, isReported = false, refetchOnFocus = false }: PollingOptions<T>) {
  const intervalOf = ({ state }: QueryLike<T>) => {
    if (isReported && state.status === 'success') return undefined
    return state.data === undefined ? pollMs && FIRST_INTERVAL_MS : pollMs?.(state.data)
  }
  const shouldRefetch = (query: QueryLike<T>): boolean | 'always' => {
    const interval = intervalOf(query)
    const isDue = interval !== undefined && Date.now() - query.state.dataUpdatedAt >= interval
    return query.state.status === 'error' || isDue ? 'always' : refetchOnFocus
  }
  const refetchInterval = (query: QueryLike<T>): number | false => {
    const interval = intervalOf(query)
    const failures = consecutiveFailures(query)
    if (interval === undefined || isNotFound(query.state.error)) return false
    return failures === 0 ? interval : backoffMs(interval, failures)
  }
  return { refetchInterval, refetchOnWindowFocus: shouldRefetch, refetchOnReconnect: shouldRefetch }
}

/** Whether the service answered 404. */
export const isNotFound = (error: unknown): boolean => error instanceof StoreyError && error.status === 404
