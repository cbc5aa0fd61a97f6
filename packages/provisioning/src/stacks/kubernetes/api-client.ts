import { type ClientRequest, type IncomingMessage, request as openHttp } from 'node:http'
import { request as openHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { RuntimeUnavailable } from '../stack-runtime.ts'
import type { ApiConnection } from './api-connection.ts'
import type { Metadata } from './objects.ts'

/** The API server refused a request. */
export class KubernetesRefusal extends Error {
  override name = 'KubernetesRefusal'
  readonly status: number
  /** The machine-readable reason of the API server, such as `NotFound` or `Forbidden`. */
  readonly reason: string
  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

export interface ApiRequest {
  query?: Record<string, string>
  body?: object
  type?: 'application/json' | 'application/apply-patch+yaml' | 'application/merge-patch+json'
  accept?: string
  signal?: AbortSignal
}

type Method = 'GET' | 'PATCH' | 'DELETE'

export interface ApiClient {
  /**
   * Repeats the request while the API server does not answer, is starting or is busy. Rejects with RuntimeUnavailable
   * when the time limit of the repetition is over.
   */
  call<T = unknown>(method: Method, path: string, options?: ApiRequest): Promise<T>
  /**
   * Server-side apply: creates the object, or sets the given fields and removes those that only an earlier apply set.
   * Resolves with the metadata of the object.
   */
  apply(path: string, object: object): Promise<Metadata>
  /** Resolves even if the object does not exist. */
  remove(path: string, options?: { graceSeconds?: number }): Promise<void>
  /** Opens a watch, and calls `take` with each event. Resolves when the watch has ended. */
  watch(
    path: string,
    query: Record<string, string>,
    take: (event: WatchEvent) => void,
    signal: AbortSignal,
  ): Promise<void>
}

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  object: Record<string, unknown>
}

/** The owner of the fields that this service sets. */
export const FIELD_MANAGER = 'storey'
const CALL_LIMIT_MS = 10_000
/** How long a request is repeated. */
const RETRY_LIMIT_MS = 20_000
const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 5_000
/** A watch without an event for this long counts as broken: the API server sends a bookmark about every minute. */
const SILENT_LIMIT_MS = 150_000
const MAX_RESPONSE = 64 * 1024 * 1024
const MAX_EVENT = 4 * 1024 * 1024

/**
 * A client of the API server. The few requests that this service sends do not justify a client library of 60 MB
 * (ADR 54).
 */
export function createApiClient(connection: ApiConnection, retryLimitMs = RETRY_LIMIT_MS): ApiClient {
  const base = connection.url.href.replace(/\/$/, '')

  function open(method: Method, path: string, { query, body, type, accept, signal }: ApiRequest): ClientRequest {
    const url = new URL(base + path)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const text = body && JSON.stringify(body)
    const outgoing = (url.protocol === 'http:' ? openHttp : openHttps)(url, {
      method,
      agent: connection.agent,
      headers: {
        accept: accept ?? 'application/json',
        'user-agent': 'storey',
        ...connection.headers(),
        // Without a length, Node sends the body of a DELETE unframed, and the server reads it as the next request.
        ...(text ? { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(text) } : {}),
      },
      ...(signal ? { signal } : {}),
    })
    outgoing.end(text)
    return outgoing
  }

  async function once<T>(method: Method, path: string, options: ApiRequest): Promise<T> {
    const limit = AbortSignal.timeout(CALL_LIMIT_MS)
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit
    const response = await responseTo(open(method, path, { ...options, signal }))
    const text = await readAll(response)
    if (response.statusCode! >= 300) throw refusalOf(response.statusCode!, text)
    return JSON.parse(text) as T
  }

  async function call<T>(method: Method, path: string, options: ApiRequest = {}): Promise<T> {
    const deadline = performance.now() + retryLimitMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        return await once<T>(method, path, options)
      } catch (err) {
        options.signal?.throwIfAborted()
        const isBusy = err instanceof KubernetesRefusal && (err.status === 429 || err.status >= 500)
        if (err instanceof KubernetesRefusal && !isBusy) throw err
        if (performance.now() + pauseMs > deadline) {
          throw new RuntimeUnavailable(`the API server of Kubernetes does not answer: ${(err as Error).message}`)
        }
        // The pause is random, so that many clients do not retry at the same time.
        await sleep(pauseMs * (0.5 + Math.random()), undefined, options.signal ? { signal: options.signal } : {})
      }
    }
  }

  return {
    call,
    async apply(path, body) {
      const query = { fieldManager: FIELD_MANAGER, force: 'true' }
      const type = 'application/apply-patch+yaml' as const
      return (await call<{ metadata: Metadata }>('PATCH', path, { query, body, type })).metadata
    },
    async remove(path, { graceSeconds } = {}) {
      const body = {
        ...{ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
        ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
      }
      await call('DELETE', path, { body }).catch((err) => {
        if (!isRefusal(err, 404)) throw err
      })
    },
    async watch(path, query, take, signal) {
      const response = await responseTo(open('GET', path, { query: { ...query, watch: 'true' }, signal }))
      if (response.statusCode! >= 300) throw refusalOf(response.statusCode!, await readAll(response))
      response.socket.setTimeout(SILENT_LIMIT_MS, () => response.destroy())
      let rest = ''
      for await (const chunk of response.setEncoding('utf8')) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop()!
        if (rest.length > MAX_EVENT) throw new Error('an event of the API server is too long')
        for (const line of lines) if (line !== '') take(JSON.parse(line) as WatchEvent)
      }
    },
  }
}

export const isRefusal = (err: unknown, ...statuses: number[]): err is KubernetesRefusal =>
  err instanceof KubernetesRefusal && statuses.includes(err.status)

function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
  })
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk
    if (text.length > MAX_RESPONSE) throw new Error('a response of the API server is too long')
  }
  return text
}

function refusalOf(status: number, text: string): KubernetesRefusal {
  try {
    const { reason, message } = JSON.parse(text) as { reason?: string; message?: string }
    return new KubernetesRefusal(status, reason ?? String(status), message ?? `the API server answered ${status}`)
  } catch {
    return new KubernetesRefusal(status, String(status), `the API server answered ${status}`)
  }
}
