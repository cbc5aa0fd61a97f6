import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Problem } from '@storey/contract'
import { announcesBody, newRequestId } from '@storey/kit/http'
import type { Callers } from './callers.ts'
import { closeHard } from './close-hard.ts'
import { readOut } from './end-when-read.ts'
import { problemText } from './problem-answer.ts'
import { createStackLink, type StackLink } from './stack-link.ts'

/** A request on its way to an answer. */
export interface Turn {
  request: IncomingMessage
  response: ServerResponse
  connection: Connection
  /** Writes `100 Continue`, once, to a client that waits for it before it sends its body. */
  sendContinue(): void
  /** True while the client waits for that. */
  readonly awaitsContinue: boolean
}

export interface ConnectionOptions {
  callers: Callers
  serve(turn: Turn): void
  /** It begins to wait, or to be answered, or is known for a caller's. */
  onChange(connection: Connection): void
}

/** Requests that may wait behind one another; from the first figure on no more are read, at the second one it ends. */
const PAUSE_AT = 8
const MAX_WAITING = 512

/**
 * One connection of a client. Its requests are answered one at a time, in their order: however many a client sends
 * ahead, it occupies one stack connection, and a refused one cannot be mistaken for the answer to another.
 */
export class Connection {
  readonly socket: Socket
  readonly link: StackLink = createStackLink()
  /** Whose limit it counts for. */
  readonly address: string
  readonly #over = new AbortController()
  readonly #line: Turn[] = []
  readonly #options: ConnectionOptions
  #refusal: Problem | undefined
  #isPaused = false
  #isUpgrading = false
  #freeSince = performance.now()

  constructor(socket: Socket, address: string, options: ConnectionOptions) {
    this.socket = socket
    this.address = address
    this.#options = options
    // Node takes its own listener off with an upgrade or a CONNECT, also where one waits behind other requests.
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#end())
  }

  /** Aborted when nobody is there to be answered any more. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Whether somebody with a good credential came on it. */
  get isCaller(): boolean {
    return this.#options.callers.has(this.socket)
  }

  signedIn(request: IncomingMessage): void {
    const wasCaller = this.isCaller
    this.#options.callers.add(request)
    if (!wasCaller) this.#options.onChange(this)
  }

  /** The request that is being answered. */
  get turn(): Turn | undefined {
    return this.#line[0]
  }

  take(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    // What stands behind a refused head was never a request.
    if (this.#refusal !== undefined || this.over.aborted) return
    if (this.#line.length >= MAX_WAITING) return void this.socket.destroy()
    // Of a body that nobody began to read Node lets the rest go by, however long it is, once the answer is out.
    if (announcesBody(request)) request.read(0)
    const turn = createTurn(this, request, response, expectsContinue && announcesBody(request))
    this.#line.push(turn)
    if (this.#line.length === 1) this.#begin(turn)
    else if (this.#line.length >= PAUSE_AT) this.#pause(true)
  }

  #begin(turn: Turn): void {
    turn.response.once('close', () => this.#next(turn))
    this.#options.onChange(this)
    this.#options.serve(turn)
  }

  #next(turn: Turn): void {
    if (this.#line[0] !== turn) return
    this.#line.shift()
    this.#freeSince = performance.now()
    if (this.socket.destroyed || this.over.aborted) return
    // Nothing can follow what was not sent to its end.
    if (!turn.request.complete) void readOut(turn.request, this.isCaller)
    const next = this.#line[0]
    if (next !== undefined) this.#begin(next)
    else if (this.#refusal !== undefined) this.#closeWith(this.#refusal)
    else this.#options.onChange(this)
    if (this.#line.length < PAUSE_AT) this.#pause(false)
  }

  #pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    if (isPaused) this.socket.pause()
    else this.socket.resume()
  }

  /** What came last is no request. Those before it are answered first, then this one is refused, and the connection ends. */
  refuse(problem: Problem): void {
    if (this.#refusal !== undefined || this.over.aborted) return
    this.#refusal = problem
    const last = this.#line.at(-1)
    const isInBody = last !== undefined && !last.request.complete
    if (isInBody && this.#line.length === 1 && last.response.headersSent) return void this.socket.destroy()
    if (isInBody) this.#line.pop()
    if (this.#line.length === 0) this.#closeWith(problem)
  }

  /** The request whose turn it is cannot be understood: nothing behind it can be either. */
  refuseTurn(problem: Problem): void {
    if (this.over.aborted) return
    this.#refusal = problem
    const [turn] = this.#line.splice(0)
    this.#closeWith(problem, turn?.request.method !== 'HEAD')
  }

  /** Takes an upgrade, where nothing is before it. */
  beginUpgrade(): boolean {
    if (this.#line.length > 0 || this.#refusal !== undefined || this.over.aborted) return false
    this.#isUpgrading = true
    this.#options.onChange(this)
    return true
  }

  /** Whether somebody waits for an answer on it. */
  get isBusy(): boolean {
    return this.#isUpgrading || this.#line.length > 0
  }

  /** How long it has been without a request, and without an answer that its client still reads. */
  waitedMs(): number {
    if (this.isBusy || this.socket.writableLength > 0) this.#freeSince = performance.now()
    return performance.now() - this.#freeSince
  }

  #closeWith(problem: Problem, withBody = true): void {
    this.#end()
    closeHard(this.socket, problemText(problem, newRequestId(), withBody))
  }

  #end(): void {
    if (this.over.aborted) return
    this.#over.abort()
    this.link.drop()
  }
}

function createTurn(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Turn {
  let awaitsContinue = expectsContinue
  return {
    request,
    response,
    connection,
    sendContinue() {
      if (awaitsContinue) response.writeContinue()
      awaitsContinue = false
    },
    get awaitsContinue() {
      return awaitsContinue
    },
  }
}
