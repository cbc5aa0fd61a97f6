import { connect } from '#connect'
import type { Credential } from '../credentials/credential.ts'
import { PreconditionFailedError, StoreyError, UnreachableError } from '../errors.ts'
import type { Connect, RequestBody } from '../transport/connect.ts'
import { rememberTag, tagFor } from './etags.ts'
import { mayHaveArrived } from './reasons.ts'
import { isTokenRefused, renewOnce } from './renew-on-401.ts'
import {
  DEFAULT_RETRY,
  isOutcomeUnknown,
  type OnWait,
  type RetryOptions,
  retryAfterSeconds,
  waitBeforeRetry,
} from './retry.ts'
import { readProblem, sendOnce } from './send-once.ts'
import { aBody, notFromStorey, type Shape } from './shape.ts'

/**
 * The options of `createPlatformClient` and of `createProvisioningClient`.
 *
 * @stable
 */
export interface ClientOptions {
  /** The address of the API, such as `http://localhost:4000` or a sandbox's `apiUrl`. */
  url: string
  credential: Credential
  /** Aborting this signal ends every request of this client. */
  signal?: AbortSignal
  retry?: RetryOptions
  /** Called when a call waits for Retry-After. */
  onWait?: OnWait
  /**
   * How long one attempt may take, including its response; default 60. An upload, of a file or of any body other than
   * uncompressed JSON, may take 15 minutes.
   */
  timeoutSeconds?: number
  /** Replaces the built-in transport, which works like `fetch` and also resolves `*.localhost`. */
  fetch?: Connect
}

/**
 * The last argument of every method that sends a request.
 *
 * @stable
 */
export interface CallOptions {
  signal?: AbortSignal
}

/**
 * The last argument of a method that changes or deletes a record.
 *
 * @stable
 */
export interface ChangeOptions extends CallOptions {
  /**
   * The record as it was read, or its ETag. If somebody else has changed the record since, nothing is changed and a
   * `PreconditionFailedError` is thrown. `*`: any version.
   */
  ifMatch?: string | object
}

export type Query = object

export interface Call extends ChangeOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Query | undefined
  /** Sent as JSON. */
  body?: unknown
  /** Sent unchanged. */
  content?: { type: string; data: RequestBody }
  headers?: Record<string, string>
  /** Whether the call is idempotent and may be sent again; by default, true for every method except POST. */
  repeatable?: boolean
  /** Whether the call changes nothing; by default, true for GET. */
  isRead?: boolean
  accept?: string
  /** Checks the body of the response; by default the body must be an object, a list, or empty. */
  shape?: Shape
}

export interface HttpClient {
  /** The JSON of the response; undefined if the response has no body. */
  json<T>(call: Call): Promise<T>
  text(call: Call): Promise<string>
}

export function createHttpClient(options: ClientOptions): HttpClient {
  const base = baseOf(options.url)
  const { credential, fetch = connect, timeoutSeconds = 60 } = options
  const retry = { ...DEFAULT_RETRY, ...options.retry }

  async function attempt(call: Call, token: string): Promise<{ response: Response; text: string }> {
    const url = base + call.path + queryText(call.query)
    const signal = joined(options.signal, call.signal)
    const init = {
      method: call.method,
      headers: headersOf(call, token),
      ...bodyOf(call),
      ...(signal ? { signal } : {}),
    }
    const timeoutMs = call.content === undefined ? timeoutSeconds * 1000 : FILE_TIMEOUT_MS
    return await sendOnce(fetch, url, init, readResponse, timeoutMs)
  }

  async function readResponse(response: Response): Promise<{ response: Response; text: string }> {
    if (response.ok) return { response, text: await response.text() }
    const after = retryAfterSeconds(response.headers.get('retry-after'))
    const problem = await readProblem(response)
    if (problem.code === 'PRECONDITION_FAILED') throw new PreconditionFailedError(problem)
    throw new StoreyError(problem, { retryAfterSeconds: after })
  }

  async function send(call: Call): Promise<{ response: Response; text: string }> {
    const signal = joined(options.signal, call.signal)
    // The first attempt may have changed the ETag, so that a second attempt would fail with 412. A second DELETE gets
    // 404, which counts as success.
    const isOnce = call.ifMatch !== undefined && call.method !== 'DELETE'
    const isRepeatable = !isOnce && (call.repeatable ?? call.method !== 'POST')
    const isRead = call.isRead ?? call.method === 'GET'
    const isStream = call.content?.data instanceof ReadableStream
    const state = { waitedMs: 0, attempts: 0, renewed: false, unfinished: false }
    for (;;) {
      signal?.throwIfAborted()
      const token = await credential.token()
      try {
        return await attempt(call, token)
      } catch (error) {
        if (isStream) throw error
        // An earlier attempt may have deleted the record, if its response was lost, or reported a removal in progress or
        // an unknown outcome.
        if (call.method === 'DELETE' && state.unfinished && isNotFound(error))
          return { response: new Response(), text: '' }
        state.unfinished ||= isLost(error) || isRemoving(error) || isOutcomeUnknown(error)
        if (isTokenRefused(error) && !state.renewed) {
          state.renewed = true
          if (await renewOnce(credential, token)) continue
        }
        const known = error instanceof StoreyError || error instanceof UnreachableError
        if (
          !known ||
          !(await waitBeforeRetry(error, { isRepeatable, isRead, retry, state, signal, onWait: options.onWait }))
        )
          throw error
      }
    }
  }

  return {
    async json<T>(call: Call) {
      const { response, text } = await send(call)
      const body = text === '' ? undefined : parsed(call, response, text)
      const fits = call.shape ?? aBody
      if (!fits(body)) throw notFromStorey(call.path, response.status, 'Not a response of Storey')
      rememberTag(body, response.headers.get('etag'))
      return body as T
    },
    text: async (call) => (await send(call)).text,
  }
}

function parsed({ path }: Call, { status }: Response, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notFromStorey(path, status, 'Not JSON', cause)
  }
}

const isLost = (error: unknown): boolean => error instanceof UnreachableError && mayHaveArrived(error)
const isRemoving = (error: unknown): boolean => error instanceof StoreyError && error.problem.removing === true
const isNotFound = (error: unknown): boolean => error instanceof StoreyError && error.status === 404

const FILE_TIMEOUT_MS = 15 * 60_000

function baseOf(url: string): string {
  const { protocol, origin, pathname } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${url} is not the address of an HTTP API`)
  return origin + pathname.replace(/\/+$/, '')
}

function headersOf({ headers, body, content, ifMatch, accept = 'application/json' }: Call, token: string) {
  const type = content?.type ?? (body === undefined ? undefined : 'application/json')
  return {
    accept,
    authorization: `Bearer ${token}`,
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(ifMatch === undefined ? {} : { 'if-match': tagFor(ifMatch) }),
    ...headers,
  }
}

function bodyOf({ body, content }: Call): { body?: RequestBody; duplex?: 'half' } {
  if (content) return { body: content.data, ...(content.data instanceof ReadableStream ? { duplex: 'half' } : {}) }
  return body === undefined ? {} : { body: JSON.stringify(body) }
}

function queryText(query: Query | undefined): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? '' : `?${search}`
}

const joined = (...signals: (AbortSignal | undefined)[]): AbortSignal | undefined => {
  const given = signals.filter((signal) => signal !== undefined)
  return given.length > 1 ? AbortSignal.any(given) : given[0]
}
