import { StoreyError, type UnreachableError } from '../errors.ts'

/**
 * How often and how long a client retries.
 *
 * @stable
 */
export interface RetryOptions {
  /**
   * Total seconds that one call may wait, for `Retry-After` and between attempts; default 60. 0: it never waits. With
   * `interactive`, waits of reads for a rate limit do not count.
   */
  waitLimitSeconds?: number
  /** Further attempts of an idempotent call when there was no response from the service; default 3. */
  attempts?: number
  /**
   * For a page with a user in front of it; default false. Reads wait for a rate limit as long as it takes. Calls that
   * change something are not sent again when they were rate limited: they throw an error with `retryAfterSeconds`.
   */
  interactive?: boolean
}

/**
 * A wait that the API requested: too many requests, or a sandbox that is not ready.
 *
 * @stable
 */
export interface Wait {
  /** Milliseconds until the call is sent again. */
  afterMs: number
  status: number
  code: string
}

/**
 * Called at the start of each wait. If it returns a function, that function is called at the end of the wait, when the
 * request is sent again or was aborted.
 *
 * @stable
 */
export type OnWait = (wait: Wait) => (() => void) | undefined

export const DEFAULT_RETRY = { waitLimitSeconds: 60, attempts: 3, interactive: false }

export interface RetryState {
  waitedMs: number
  attempts: number
}

interface RetryContext {
  isRepeatable: boolean
  /** Whether the call changes nothing. */
  isRead: boolean
  retry: Required<RetryOptions>
  state: RetryState
  signal: AbortSignal | undefined
  onWait: OnWait | undefined
}

/** Statuses with which a proxy responds if it cannot connect to the service. */
const PROXY_STATUSES = [502, 503, 504]

/** Waits as long as needed, and returns whether the call should be retried. */
export async function waitBeforeRetry(error: StoreyError | UnreachableError, context: RetryContext): Promise<boolean> {
  const { isRead, retry, state, signal, onWait } = context
  const waitMs = waitFor(error, context)
  if (waitMs === undefined) return false
  if (retry.interactive && error instanceof StoreyError && error.code === 'RATE_LIMITED') {
    if (!isRead) return false
  } else {
    if (state.waitedMs + waitMs > retry.waitLimitSeconds * 1000) return false
    state.waitedMs += waitMs
  }
  const isRequested = hasRetryAfter(error)
  if (!isRequested) state.attempts += 1
  const onEnd = isRequested ? onWait?.({ afterMs: waitMs, status: error.status, code: error.code }) : undefined
  try {
    await sleep(waitMs, signal)
  } finally {
    onEnd?.()
  }
  return true
}

/** Whether the response asks for a retry: a 429 or 503 with `Retry-After` does. */
const hasRetryAfter = (error: StoreyError | UnreachableError): error is StoreyError & { retryAfterSeconds: number } =>
  error instanceof StoreyError &&
  error.retryAfterSeconds !== undefined &&
  (error.status === 429 || error.status === 503)

/** Whether the API reports that the request failed, but may have had its effect. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof StoreyError && error.problem.outcome === 'unknown'

function waitFor(
  error: StoreyError | UnreachableError,
  { isRepeatable, isRead, retry, state }: RetryContext,
): number | undefined {
  if (hasRetryAfter(error)) {
    if (isOutcomeUnknown(error) && !isRepeatable && !isRead) return undefined
    return error.retryAfterSeconds * 1000 + Math.random() * 250
  }
  if (error instanceof StoreyError && !PROXY_STATUSES.includes(error.status)) return undefined
  if (!isRepeatable || state.attempts >= retry.attempts) return undefined
  return 200 * 2 ** state.attempts * (0.5 + Math.random())
}

/** The delay in a `Retry-After` header, which has seconds or an HTTP date. */
export function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
