import type { ProblemDetails } from '../errors.ts'
import { StoreyError, UnreachableError } from '../errors.ts'
import type { Connect, ConnectInit } from '../transport/connect.ts'
import { reasonOf } from './reasons.ts'

const DEFAULT_TIMEOUT_MS = 60_000

/**
 * Sends a request and reads the whole response within the timeout. Throws an UnreachableError if there is no complete
 * response, unless the caller aborted the request.
 */
export async function sendOnce<T>(
  connect: Connect,
  url: string,
  init: ConnectInit,
  read: (response: Response) => Promise<T>,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<T> {
  const limit = new AbortController()
  // A timer keeps the process alive. With AbortSignal.timeout the process could exit before the response arrives.
  const timer = setTimeout(() => limit.abort(new DOMException('no response came in time', 'TimeoutError')), timeoutMs)
  const signal = init.signal ? AbortSignal.any([init.signal, limit.signal]) : limit.signal
  let response: Response | undefined
  try {
    response = await untilAborted(connect(url, { ...init, signal, redirect: 'manual' }), signal)
    return await untilAborted(read(response), signal)
  } catch (error) {
    init.signal?.throwIfAborted()
    if (isRefusal(error)) throw error
    const late = response === undefined ? 'no response came in time' : 'the response did not complete in time'
    throw new UnreachableError(new URL(url).origin, limit.signal.aborted ? late : reasonOf(error), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** Whether `read` threw this error to report a refusal. The service responded, so it is reachable. */
const isRefusal = (error: unknown): boolean => error instanceof StoreyError

/** Rejects when the signal aborts, even if the transport ignores it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/**
 * The problem in a response; a generic problem if the response is not from Storey. `question` then asks about the
 * setting that may be wrong.
 */
export async function readProblem(
  response: Response,
  question = 'is the url of the client the address of a Storey API?',
): Promise<ProblemDetails> {
  const { status } = response
  const text = await response.text().catch(() => '')
  if (/\bjson\b/.test(response.headers.get('content-type') ?? '')) {
    const body = parsed(text)
    if (typeof body?.code === 'string' && typeof body.detail === 'string') return body as ProblemDetails
  }
  const title = response.statusText || `HTTP ${status}`
  const isTemporary = status >= 500 || status === 429
  const hint = isTemporary ? 'a proxy may have sent it.' : question
  const detail = `The response ${status} is not from Storey: ${hint}`
  return { type: 'about:blank', title, status, detail, code: 'UNKNOWN' }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}
