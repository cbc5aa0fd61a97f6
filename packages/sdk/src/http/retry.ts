import { StoreyError, type UnreachableError } from '../errors.ts'

/**
 * How long a client tries.
 *
 * @stable
 */
export interface RetryOptions {
  /** Seconds that one call may wait in all, for `Retry-After` and between attempts; default 60. 0: it never waits. */
  waitLimitSeconds?: number
  /** Further attempts after no answer came, for calls that may be repeated; default 3. */
  attempts?: number
}

/**
 * A wait that the API asked for: too many requests, or a sandbox that is not ready.
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
 * Told of each wait, for whoever looks on. What it gives back is called when the wait is over: the call is sent again,
 * or was ended.
 *
 * @stable
 */
export type OnWait = (wait: Wait) => (() => void) | undefined

export const DEFAULT_RETRY = { waitLimitSeconds: 60, attempts: 3 }

export interface RetryState {
  waitedMs: number
  attempts: number
}

interface Situation {
  isRepeatable: boolean
  retry: Required<RetryOptions>
  state: RetryState
  signal: AbortSignal | undefined
  onWait: OnWait | undefined
}

/** Answers of a proxy that could not connect to the service. */
const IN_BETWEEN = [502, 503, 504]

/** Waits as long as needed, and returns whether the call should be retried. */
export async function waitBeforeRetry(error: StoreyError | UnreachableError, situation: Situation): Promise<boolean> {
  const { retry, state, signal, onWait } = situation
  const waitMs = waitFor(error, situation)
  if (waitMs === undefined || state.waitedMs + waitMs > retry.waitLimitSeconds * 1000) return false
  state.waitedMs += waitMs
  state.attempts += 1
  const isOver = isPostponed(error) ? onWait?.({ afterMs: waitMs, status: error.status, code: error.code }) : undefined
  try {
    await sleep(waitMs, signal)
  } finally {
    isOver?.()
  }
  return true
}

/** An answer with Retry-After has changed nothing: any call may be sent again. */
const isPostponed = (error: StoreyError | UnreachableError): error is StoreyError & { retryAfterSeconds: number } =>
  error instanceof StoreyError &&
  error.retryAfterSeconds !== undefined &&
  (error.status === 429 || error.status === 503)

function waitFor(error: StoreyError | UnreachableError, { isRepeatable, retry, state }: Situation): number | undefined {
  if (isPostponed(error)) return error.retryAfterSeconds * 1000 + Math.random() * 250
  if (error instanceof StoreyError && !IN_BETWEEN.includes(error.status)) return undefined
  if (!isRepeatable || state.attempts >= retry.attempts) return undefined
  return 200 * 2 ** state.attempts * (0.5 + Math.random())
}

/** Seconds, or an HTTP date. */
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
