import type { ProblemDetails } from '../errors.ts'
import { UnreachableError } from '../errors.ts'
import type { Connect, ConnectInit } from '../transport/connect.ts'

/** One request, one answer. Whatever kept an answer from coming is an UnreachableError, but for the caller's own abort. */
export async function sendOnce(
  connect: Connect,
  url: string,
  init: ConnectInit,
  timeoutMs = 60_000,
): Promise<Response> {
  const limit = AbortSignal.timeout(timeoutMs)
  const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit
  try {
    return await connect(url, { ...init, signal, redirect: 'manual' })
  } catch (error) {
    throw unreachable(error, url, init.signal, limit)
  }
}

export function unreachable(
  error: unknown,
  url: string,
  signal: AbortSignal | undefined,
  limit?: AbortSignal,
): unknown {
  signal?.throwIfAborted()
  const reason = limit?.aborted ? 'no answer came in time' : reasonOf(error)
  return new UnreachableError(new URL(url).origin, reason, { cause: error })
}

/** `fetch` says "fetch failed" and hides why below. */
function reasonOf(error: unknown): string {
  const { message, code, cause, errors } = error as Error & { code?: string; errors?: unknown[] }
  if (message === 'fetch failed' && cause !== undefined) return reasonOf(cause)
  if (Array.isArray(errors) && errors.length > 0 && !message) return reasonOf(errors[0])
  return WORDS[code ?? ''] ?? (message || 'the connection failed')
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host does not resolve now',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
}

/** The problem in an answer; one is made up where something that is not Storey answered. */
export async function readProblem(answer: Response): Promise<ProblemDetails> {
  const { status } = answer
  const text = await answer.text().catch(() => '')
  if (/\bjson\b/.test(answer.headers.get('content-type') ?? '')) {
    const body = parsed(text)
    if (typeof body?.code === 'string' && typeof body.detail === 'string') return body as ProblemDetails
  }
  const title = answer.statusText || `HTTP ${status}`
  const detail = `The answer ${status} is not one of Storey: does the address name its API?`
  return { type: 'about:blank', title, status, detail, code: 'UNKNOWN' }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}
