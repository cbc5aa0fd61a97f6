import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { SIGNED_IN_HEADER } from '@storey/contract'
import { freeBuffer } from '@storey/kit/free-buffer'
import { traceHeaders } from '@storey/kit/tracing'
import type { RunningStack, StackAddress } from '../stacks/index.ts'
import { affinityOf } from './affinity.ts'
import type { Exchange } from './connection.ts'
import { endWhenRead } from './end-when-read.ts'
import { noteStackAnswer } from './observe-gateway.ts'
import { passBody } from './pass-body.ts'
import { answerHeaders, requestHeaders } from './pass-headers.ts'
import type { Framing } from './read-head.ts'

export interface ForwardOptions {
  stack: RunningStack
  framing: Framing
  requestId: string
  scheme: string
  clientAddress: string
  responseTimeoutMs: number
  /** The path below which the client reaches the stack; empty at the sandbox's own address. */
  pathPrefix?: string
}

/** How long the head of a request waits for the first bytes of its body, to be sent together with them. */
const HEAD_WAITS_MS = 50

const EXPECT = { expect: '100-continue' }
/**
 * Closes the connection of a client that never got its 100 Continue, because it is unknown where the next request of
 * the client starts.
 */
const CLOSE = { connection: 'close' }

/** The connection to the stack broke before the stack responded, usually because the stack exited. */
export class StackGone extends Error {}
/** The stack received the whole request, or the head of one that expects 100 Continue, and did not respond in time. */
export class StackTimeout extends Error {
  /** Where the request was sent, if the request had no `StackLink`. */
  readonly address: StackAddress | undefined
  constructor(address?: StackAddress) {
    super('the stack did not respond in time')
    this.address = address
  }
}

/**
 * Forwards a request to its stack and streams the response back. The gateway frames the bodies of the request and of
 * the response itself. Throws only while no response has been sent.
 */
export async function forward(exchange: Exchange, options: ForwardOptions): Promise<void> {
  const { request, response, connection } = exchange
  const { link, over } = connection
  const upstream = link.open(
    options.stack,
    {
      method: request.method!,
      path: request.url!,
      headers: { ...headersFor(request, options), ...options.framing, ...(exchange.awaitsContinue ? EXPECT : {}) },
    },
    affinityOf(request, options.clientAddress),
  )
  const body: SentBody = { stop: () => undefined }
  try {
    const answer = await firstAnswer(exchange, upstream, options, body)
    exchange.isSignedIn = answer.headers[SIGNED_IN_HEADER] !== undefined
    if (exchange.isSignedIn) connection.signedIn(request)
    if (exchange.observed) noteStackAnswer(exchange.observed, answer.headers)
    response.writeHead(answer.statusCode!, {
      ...responseHeaders(answer, response, options),
      ...(exchange.awaitsContinue ? CLOSE : {}),
    })
    await relay(answer, response)
    if (!upstream.writableFinished) {
      // The stack responded before it read the whole body, and could read the rest of the body as another request.
      body.stop()
      link.drop()
    }
    await endWhenRead(exchange)
  } catch (err) {
    link.drop()
    if (over.aborted) return
    if (response.headersSent) response.destroy()
    else throw err instanceof StackTimeout ? err : new StackGone()
  } finally {
    body.stop()
  }
}

/** The body that is being sent to a stack. */
interface SentBody {
  /** Leaves the rest of the body unread. */
  stop(): void
}

function firstAnswer(
  exchange: Exchange,
  upstream: ClientRequest,
  { framing, responseTimeoutMs }: ForwardOptions,
  body: SentBody,
) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    let headTimer: NodeJS.Timeout | undefined
    let isAnswered = false
    const watch = () => {
      timer = setTimeout(() => {
        reject(new StackTimeout())
        upstream.destroy()
      }, responseTimeoutMs)
    }
    upstream.once('response', (answer) => {
      clearTimeout(timer)
      isAnswered = true
      // If the end of the body is sent only now, the time limit must not start again.
      upstream.off('finish', watch)
      resolve(answer)
    })
    upstream.once('error', reject)
    upstream.on('error', () => undefined)
    upstream.once('close', () => {
      clearTimeout(timer)
      clearTimeout(headTimer)
      // Every request ends with `close`, so the error, which is expensive, is created only when it is needed.
      if (!isAnswered) reject(new StackGone())
    })
    // The stack sent an upgrade that nobody requested.
    upstream.once('upgrade', (_answer, socket) => socket.destroy())
    // The time limit of the stack starts when the whole request is sent.
    upstream.once('finish', watch)
    if (Object.keys(framing).length === 0) return void upstream.end()
    const send = () => {
      clearTimeout(timer)
      exchange.sendContinue()
      body.stop = passBody(exchange.request, upstream)
      // The stack may refuse the request by its head, even if the client never sends the body.
      headTimer = setTimeout(() => upstream.flushHeaders(), HEAD_WAITS_MS)
    }
    if (!exchange.awaitsContinue) return send()
    // The client waits for 100 Continue, so the stack gets only the head. The stack then sends 100 Continue, or
    // responds without the body, and its time limit starts now.
    upstream.once('continue', send)
    watch()
  })
}

/** Streams the body of a response. Rejects if the stack or the client disconnects before the body ends. */
function relay(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const resume = () => answer.resume()
    const stop = () => {
      answer.off('close', fail).off('error', fail)
      response.off('close', fail).off('error', fail).off('drain', resume)
    }
    const fail = () => {
      stop()
      answer.on('error', () => undefined)
      answer.destroy()
      reject(new StackGone())
    }
    answer.on('data', (chunk: Buffer) => {
      if (!response.write(chunk, () => freeBuffer(chunk))) answer.pause()
    })
    answer.once('end', () => {
      stop()
      resolve()
    })
    answer.once('close', fail).once('error', fail)
    response.once('close', fail).once('error', fail).on('drain', resume)
    if (response.destroyed) fail()
  })
}

/** The headers of a request to a stack, without its framing. */
export function headersFor(
  request: IncomingMessage,
  { requestId, scheme, clientAddress }: Omit<ForwardOptions, 'framing'>,
) {
  const headers = requestHeaders(request.headers)
  const trace = traceHeaders()
  // `trace` has the tracestate of the client, if it continues the client's trace.
  if (trace.traceparent !== undefined) delete headers.tracestate
  return {
    ...headers,
    ...trace,
    'x-request-id': requestId,
    'x-forwarded-for': clientAddress,
    'x-forwarded-host': request.headers.host ?? '',
    'x-forwarded-proto': scheme,
  }
}

/**
 * The headers of the stack's response, with its content-length. Without a content-length Node sends the response
 * chunked. A 204 or 304 has no body, so it gets no content-length.
 */
function framedAnswer(answer: IncomingMessage) {
  const length = answer.headers['content-length']
  const isMeasured = length !== undefined && answer.statusCode !== 204 && answer.statusCode !== 304
  return { ...answerHeaders(answer.headers), ...(isMeasured ? { 'content-length': length } : {}) }
}

/** The headers of the response to the client. Headers that the gateway has set replace those of the stack. */
function responseHeaders(answer: IncomingMessage, response: ServerResponse, { pathPrefix = '' }: ForwardOptions) {
  const headers: OutgoingHttpHeaders = framedAnswer(answer)
  // A cookie could reach other sandboxes, because they share the registrable domain or, below a path, the origin.
  delete headers['set-cookie']
  if (pathPrefix !== '' && answer.headers.location?.startsWith('/'))
    headers.location = pathPrefix + answer.headers.location
  const vary = [response.getHeader('vary') ?? [], answer.headers.vary ?? []].flat()
  return { ...headers, ...response.getHeaders(), ...(vary.length > 0 ? { vary: vary.join(', ') } : {}) }
}
