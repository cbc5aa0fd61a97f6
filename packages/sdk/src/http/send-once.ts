import type { ProblemDetails } from '../errors.ts'
import { StoreyError, UnreachableError } from '../errors.ts'
import type { Connect, ConnectInit } from '../transport/connect.ts'
import { reasonOf } from './reasons.ts'

const USUAL_TIMEOUT_MS = 60_000

/**
 * One request and its answer, read to the end within the time. Whatever kept it from coming is an UnreachableError, but
 * for the caller's own abort.
 */
export async function sendOnce<T>(
  connect: Connect,
  url: string,
  init: ConnectInit,
  read: (answer: Response) => Promise<T>,
  timeoutMs = USUAL_TIMEOUT_MS,
): Promise<T> {
  const limit = new AbortController()
  // A timer of AbortSignal.timeout does not keep a program alive: one that waits for an answer would end silently.
  const timer = setTimeout(() => limit.abort(new DOMException('no answer came in time', 'TimeoutError')), timeoutMs)
  const signal = init.signal ? AbortSignal.any([init.signal, limit.signal]) : limit.signal
  let answer: Response | undefined
  try {
    answer = await untilAborted(connect(url, { ...init, signal, redirect: 'manual' }), signal)
    return await untilAborted(read(answer), signal)
  } catch (error) {
    init.signal?.throwIfAborted()
    if (isRefusal(error)) throw error
    const late = answer === undefined ? 'no answer came in time' : 'the answer did not end in time'
    throw new UnreachableError(new URL(url).origin, limit.signal.aborted ? late : reasonOf(error), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** Errors of a reader about a complete answer. */
const isRefusal = (error: unknown): boolean => error instanceof StoreyError

/** Does not wait for a transport that ignores its signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** The problem in an answer; a generic one if the answer is not from Storey. */
export async function readProblem(answer: Response): Promise<ProblemDetails> {
  const { status } = answer
  const text = await answer.text().catch(() => '')
  if (/\bjson\b/.test(answer.headers.get('content-type') ?? '')) {
    const body = parsed(text)
    if (typeof body?.code === 'string' && typeof body.detail === 'string') return body as ProblemDetails
  }
  const title = answer.statusText || `HTTP ${status}`
  const isPassing = status >= 500 || status === 429
  const doubt = isPassing ? 'something in between may have given it.' : 'does the address name its API?'
  const detail = `The answer ${status} is not one of Storey: ${doubt}`
  return { type: 'about:blank', title, status, detail, code: 'UNKNOWN' }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}
