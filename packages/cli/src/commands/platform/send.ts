import { connect, type ProblemDetails, reasonOf, StoreyError, UnreachableError } from '@storey/sdk'
import type { Clock } from '../../environment.ts'
import type { ApiRequest } from './api-request.ts'

export interface ApiAnswer {
  isJson: boolean
  bytes: Uint8Array
  /** The value of a JSON answer. */
  json: unknown
}

const LIMIT_MS = 15 * 60_000
/** The tool waits for a Retry-After of up to this time; a longer one is reported as an error. */
const WAIT_LIMIT_S = 20
const MAX_WAITS = 10

/** Sends a request with the sandbox's token. A read is repeated after a short Retry-After. */
export async function send(request: ApiRequest, token: string, clock: Clock): Promise<ApiAnswer> {
  for (let waits = 0; ; waits++) {
    try {
      return await sendOnce(request, token)
    } catch (error) {
      const seconds = error instanceof StoreyError ? error.retryAfterSeconds : undefined
      const mayRepeat = request.method === 'GET' && waits < MAX_WAITS
      if (!mayRepeat || seconds === undefined || seconds > WAIT_LIMIT_S) throw error
      await clock.sleep(Math.max(seconds, 1) * 1000)
    }
  }
}

async function sendOnce({ url, method, headers, body }: ApiRequest, token: string): Promise<ApiAnswer> {
  const init = { method, headers: { accept: '*/*', ...headers, authorization: `Bearer ${token}` } }
  const signal = AbortSignal.timeout(LIMIT_MS)
  let answer: Response
  let bytes: Uint8Array
  try {
    answer = await connect(url.href, { ...init, signal, ...(body === undefined ? {} : { body }) })
    bytes = new Uint8Array(await answer.arrayBuffer())
  } catch (error) {
    throw new UnreachableError(url.origin, reasonOf(error), { cause: error })
  }
  const isJson = /\bjson\b/i.test(answer.headers.get('content-type') ?? '')
  const json = isJson && bytes.length > 0 ? parsed(bytes) : undefined
  if (answer.status < 300) return { isJson: json !== undefined, bytes, json }
  const after = Number(answer.headers.get('retry-after') ?? Number.NaN)
  throw new StoreyError(problemOf(answer.status, json), {
    retryAfterSeconds: Number.isFinite(after) ? after : undefined,
  })
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}

function problemOf(status: number, json: unknown): ProblemDetails {
  const { code, detail } = (json ?? {}) as Partial<ProblemDetails>
  if (typeof code === 'string' && typeof detail === 'string') return { ...(json as ProblemDetails), status }
  const text = `The sandbox answered ${status}`
  return { type: 'about:blank', title: text, status, detail: text, code: 'UNKNOWN' }
}
