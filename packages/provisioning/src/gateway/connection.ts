import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Problem } from '@storey/contract'
import { announcesBody, newRequestId, type ObservedRequest } from '@storey/kit/http'
import type { Callers } from './callers.ts'
import { type Claim, claimOf } from './claim.ts'
import { afterParsing, offersUpgrade, readAfterEnd, setAutoDestroy, stopParserWhen } from './client-socket.ts'
import { readOut } from './end-when-read.ts'
import { CHUNKS_TOO_SMALL, limitChunks, TOO_MUCH_AROUND_CHUNKS } from './limit-chunks.ts'
import { problemText } from './problem-answer.ts'
import { createStackLink, type StackLink } from './stack-link.ts'
import { UselessBytes } from './useless-bytes.ts'

/** A request and its response. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  connection: Connection
  readonly claim: Claim
  /** Whether the stack's response shows that this request had a valid credential; undefined before that response. */
  isSignedIn: boolean | undefined
  /** What observers see of the request; undefined before it is served. */
  observed: ObservedRequest | undefined
  /** Writes `100 Continue`, once, to a client that waits for it before it sends its body. */
  sendContinue(): void
  /** True while the client waits for `100 Continue`. */
  readonly awaitsContinue: boolean
}

export interface ConnectionOptions {
  callers: Callers
  /** How many requests of all connections wait behind another request of their connection. */
  pipelined: { count: number }
  serve(exchange: Exchange): void
  /**
   * Called when the client floods the connection: with too many pipelined requests, with chunks that are too small, or
   * with too many bytes that are neither head nor body (`useless-bytes.ts`).
   */
  onFlood(): void
  /** Called when the connection becomes busy or idle, when it begins to end, and when its client becomes a caller. */
  onChange(connection: Connection): void
}

/**
 * Limits of the pipelined requests of one connection. At PAUSE_AT requests the gateway stops reading from the socket,
 * but the bytes that it has already read may contain many more requests. Beyond MAX_WAITING requests it resets the
 * connection without parsing the rest.
 */
const PAUSE_AT = 8
const MAX_WAITING = 512
/**
 * The maximum number of pipelined requests of all connections together. If it is reached, the gateway resets each
 * connection of an unauthenticated client that sends more than PAUSE_AT requests. Each waiting request takes about 6 KB
 * of memory, a hundred times as much as its client sends.
 */
const MAX_PIPELINED = 4_096

/** How long the gateway, after it has ended a connection, waits for the client to end it too. */
const LINGER_MS = 500

/**
 * One client connection. Its requests are answered one at a time, in order. So they use one stack connection at a time,
 * however many requests the client pipelines, and a refusal cannot be mistaken for the response to another request.
 */
export class Connection {
  readonly socket: Socket
  readonly link: StackLink = createStackLink()
  /** The IP address of the peer, or its IPv6 network. The connection counts towards the limit of this address. */
  readonly address: string
  readonly #over = new AbortController()
  readonly #queue: Exchange[] = []
  readonly #options: ConnectionOptions
  #refusal: Problem | undefined
  #isPaused = false
  #isUpgrading = false
  #isWaitingForNext = false
  /** Whether the connection ends after the last request in the queue. */
  #isLast = false
  #freeSince = performance.now()
  #countedAsPipelined = 0
  readonly #uselessBytes: UselessBytes
  #endsSince: number | undefined

  constructor(socket: Socket, address: string, options: ConnectionOptions) {
    this.socket = socket
    this.address = address
    this.#options = options
    this.#uselessBytes = new UselessBytes(socket)
    // For an upgrade or a CONNECT, Node removes its own error listener, even while that request waits behind others.
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#end())
    // Node calls this after the last response.
    socket.destroySoon = () => this.finish()
    setAutoDestroy(socket, false)
    socket.once('end', () => this.#isUpgrading || this.finish())
    stopParserWhen(socket, () => socket.destroyed || this.#refusal !== undefined || this.isEnding || this.#isLast)
    afterParsing(socket, () => this.#limitUselessBytes())
  }

  /** Aborted when the connection ends. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Whether a request with a valid credential came on this connection. */
  get isCaller(): boolean {
    return this.#options.callers.has(this.socket)
  }

  signedIn(request: IncomingMessage): void {
    const wasCaller = this.isCaller
    this.#options.callers.add(request)
    if (!wasCaller) this.#options.onChange(this)
  }

  /** The request that is being answered. */
  get exchange(): Exchange | undefined {
    return this.#queue[0]
  }

  take(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    // Bytes after a refused head are not a request.
    if (this.#refusal !== undefined || this.#isLast || this.over.aborted) return
    if (this.#queue.length >= MAX_WAITING || this.#isOverBudget()) {
      this.socket.resetAndDestroy()
      return void this.#options.onFlood()
    }
    if (offersUpgrade(request)) {
      this.#isLast = true
      response.shouldKeepAlive = false
    }
    // Without this call, Node reads and discards the rest of an unread body, however long, once the response is sent.
    if (announcesBody(request)) request.read(0)
    // If a request expects 100 Continue and does not get it, Node closes the connection after the response. A client
    // that announces no body does not wait for 100 Continue, so its connection stays open.
    else if (expectsContinue) Object.assign(response, { _expect_continue: false })
    const exchange = createExchange(this, request, response, expectsContinue && announcesBody(request))
    const chunked = limitChunks(request, () => {
      this.#refuseBody(exchange, CHUNKS_TOO_SMALL)
      this.#options.onFlood()
    })
    this.#uselessBytes.begin(request, chunked)
    this.#queue.push(exchange)
    this.#countPipelined()
    if (this.#queue.length === 1) this.#begin(exchange)
    else if (this.#queue.length >= PAUSE_AT) this.#pause(true)
  }

  /**
   * If a client sends too many empty lines (`useless-bytes.ts`), the gateway stops reading from it until its requests
   * are answered. If it has no request, its connection ends. A request with too many bytes around the chunks of its
   * body is refused.
   */
  #limitUselessBytes(): void {
    const excess = this.#uselessBytes.findExcess()
    if (excess === undefined) return
    const last = this.#queue.at(-1)
    const isRefused = excess === 'in body' && last !== undefined && !last.request.complete
    if (isRefused) this.#refuseBody(last, TOO_MUCH_AROUND_CHUNKS)
    if (this.#queue.length > 0) this.#pause(true)
    else if (isRefused) this.#options.onFlood()
    else this.#endFlood()
  }

  #endFlood(): void {
    if (this.isEnding) return
    this.finish()
    this.#options.onFlood()
  }

  #begin(exchange: Exchange): void {
    exchange.response.once('close', () => this.#next(exchange))
    this.#options.onChange(this)
    this.#options.serve(exchange)
  }

  #next(exchange: Exchange): void {
    if (this.#queue[0] !== exchange) return
    this.#queue.shift()
    this.#countPipelined()
    this.#freeSince = performance.now()
    if (this.socket.destroyed || this.over.aborted) return
    // The next request on the connection begins only after the whole body of this request.
    if (!exchange.request.complete) void readOut(exchange)
    const next = this.#queue[0]
    if (next !== undefined) this.#begin(next)
    else if (this.#refusal !== undefined) this.#closeWith(this.#refusal)
    else if (this.#isLast) this.finish()
    else this.#options.onChange(this)
    if (this.#queue.length < PAUSE_AT) this.#pause(false)
  }

  #pause(isPaused: boolean): void {
    // Node's parser resumes the socket after each request.
    const isUndone = isPaused && !this.socket.isPaused()
    if (this.#isPaused === isPaused && !isUndone) return
    this.#isPaused = isPaused
    if (isPaused) this.socket.pause()
    else this.socket.resume()
  }

  /**
   * Waits until the earlier requests are answered, then refuses the request or bytes that came last, and closes the
   * connection. If the response to the refused request has begun, the connection is destroyed without another response.
   */
  refuse(problem: Problem): void {
    if (this.#refusal !== undefined || this.over.aborted) return
    this.#refusal = problem
    const last = this.#queue.at(-1)
    const isInBody = last !== undefined && !last.request.complete
    if (isInBody && this.#queue.length === 1 && last.response.headersSent) return void this.socket.destroy()
    if (isInBody && last.observed) last.observed.status = problem.status
    if (isInBody) this.#queue.pop()
    this.#countPipelined()
    if (this.#queue.length === 0) this.#closeWith(problem)
  }

  /** Refuses the current request. The requests behind it are dropped, and the connection is closed. */
  refuseCurrent(problem: Problem): void {
    if (this.over.aborted) return
    this.#refusal = problem
    const [exchange] = this.#queue.splice(0)
    if (exchange?.observed) exchange.observed.status = problem.status
    this.#closeWith(problem, exchange?.request.method !== 'HEAD')
  }

  /** Refuses a request after the requests before it are answered, drops those behind it, and closes the connection. */
  #refuseBody(exchange: Exchange, problem: Problem): void {
    const place = this.#queue.indexOf(exchange)
    if (place < 0 || this.over.aborted) return
    if (exchange.response.headersSent) return void this.socket.destroy()
    if (place === 0) return void this.refuseCurrent(problem)
    this.#refusal = problem
    this.#queue.splice(place)
    this.#countPipelined()
  }

  /** Answers the requests that have arrived, and then ends the connection. */
  endAfterAnswers(): void {
    if (this.#isUpgrading || this.#isLast || this.isEnding) return
    if (this.#queue.length === 0) return void this.finish()
    this.#isLast = true
    const { response } = this.#queue.at(-1)!
    // The response then has `Connection: close`, so the client does not send another request.
    if (!response.headersSent) response.shouldKeepAlive = false
  }

  /** Starts an upgrade. False if requests before the upgrade are not answered yet, or the connection ends. */
  beginUpgrade(): boolean {
    if (this.#queue.length > 0 || this.#refusal !== undefined || this.over.aborted) return false
    this.#isUpgrading = true
    setAutoDestroy(this.socket, true)
    this.#options.onChange(this)
    return true
  }

  /**
   * Call this for a connection that a stack has returned. Its client is allowed to stay idle. Node takes the connection
   * for a new one and reports a timeout if no request comes soon; this timeout is then ignored.
   */
  waitForNext(): void {
    this.#isWaitingForNext = true
  }

  /** Whether `waitForNext` was called and the client has sent nothing since then. */
  get isWaitingForNext(): boolean {
    return this.#isWaitingForNext && this.socket.bytesRead === 0
  }

  /** Whether a request or an upgrade is in progress. */
  get isBusy(): boolean {
    return this.#isUpgrading || this.#queue.length > 0
  }

  /** How long the connection has had no request and no bytes of a response left to write. */
  waitedMs(): number {
    if (this.isBusy || this.socket.writableLength > 0) this.#freeSince = performance.now()
    return performance.now() - this.#freeSince
  }

  #closeWith(problem: Problem, withBody = true): void {
    this.finish(problemText(problem, newRequestId(), withBody))
  }

  /**
   * Ends the connection after everything that was written to it. It stays open, and counts towards the limits, until
   * the client has read everything: if it were closed earlier, the kernel would keep the unread rest outside of all
   * limits. With `keepsReading`, the gateway reads and discards a bounded number of bytes from the client, because
   * closing a socket with unread bytes would reset the connection, and the last response could be lost.
   */
  finish(last = '', keepsReading = true): void {
    const { socket } = this
    if (socket.destroyed || this.isEnding) return
    this.#endsSince = performance.now()
    this.#queue.length = 0
    this.#isUpgrading = false
    this.#end()
    this.#options.onChange(this)
    if (socket.writable) socket.end(last)
    if (keepsReading) readAfterEnd(socket)
    else socket.pause()
  }

  get isEnding(): boolean {
    return this.#endsSince !== undefined
  }

  /** Whether the connection is ending, and the client has ended it too or has had the time for that. */
  get isLingering(): boolean {
    const { readableEnded } = this.socket
    return this.#endsSince !== undefined && (readableEnded || performance.now() - this.#endsSince > LINGER_MS)
  }

  #end(): void {
    if (this.over.aborted) return
    this.#over.abort()
    this.link.drop()
    this.#countPipelined()
  }

  #countPipelined(): void {
    const waiting = this.over.aborted ? 0 : Math.max(0, this.#queue.length - 1)
    this.#options.pipelined.count += waiting - this.#countedAsPipelined
    this.#countedAsPipelined = waiting
  }

  #isOverBudget(): boolean {
    return this.#queue.length >= PAUSE_AT && !this.isCaller && this.#options.pipelined.count >= MAX_PIPELINED
  }
}

function createExchange(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Exchange {
  let awaitsContinue = expectsContinue
  return {
    request,
    response,
    connection,
    claim: claimOf(request),
    isSignedIn: undefined,
    observed: undefined,
    sendContinue() {
      if (awaitsContinue) response.writeContinue()
      awaitsContinue = false
    },
    get awaitsContinue() {
      return awaitsContinue
    },
  }
}
