import type { Socket } from 'node:net'
import { DIRECT_BODY_BYTES, type ServedRequest } from '@storey/contract'
import { releaseBuffer, takeBuffer } from '@storey/kit/http'
import { unreadOf } from '@storey/kit/unread'
import { type PlainHead, readPlainHead } from './read-plain-head.ts'
import { withReadBuffer } from './with-read-buffer.ts'

export type Served = (request: Omit<ServedRequest, 'connection'>) => void

/** What a connection needs from the stack. */
export interface DirectService {
  /** How requests with this head are admitted. Undefined: the gateway answers them. */
  admissionOf(head: PlainHead): Admit | undefined
}

/**
 * Admits a request: checks the caller, and waits for memory. If it throws or returns undefined, the gateway answers the
 * request, and the request has not been counted for the rate limits.
 */
export type Admit = (signal: AbortSignal, served: Served) => Promise<AdmittedRequest | undefined>

/** A request whose body may be read. */
export interface AdmittedRequest {
  /**
   * Serves the request. Returns the response, and whether the buffer of the body is no longer used. If it returns
   * undefined, nothing was stored, and the gateway answers the request.
   */
  serve(body: Buffer): Promise<{ text: string; isBodyFree: boolean } | undefined>
  /**
   * Undoes the admission, because the gateway answers the request: frees the memory, and removes the request from the
   * counts of the rate limits.
   */
  withdraw(): void
  /** Frees the memory. Called when the response is sent or the client has disconnected. */
  end(): void
}

export interface DirectConnectionOptions {
  /** If a request names another host, the connection is returned to the gateway. */
  host: string
  service: DirectService
  served: Served
  /** Returns the connection to the gateway, with the bytes already read. */
  returnConnection(socket: Socket, read: Buffer): void
}

/** If a head is longer, the connection is returned to the gateway. */
const MAX_HEAD_BYTES = 4 * 1024
/** How long a response may wait until the client reads earlier ones. The gateway has the same limit. */
const WRITE_LIMIT_MS = 120_000
/** After this many bytes of responses, `check` counts those that the client has not read. */
const UNCHECKED_BYTES = 1024 * 1024
const MAX_UNREAD_BYTES = 64 * 1024
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/** A head that this connection serves. */
interface KnownHead {
  text: string
  /** The length of the body. */
  length: number
  admit: Admit
}

/** The request that is being received or served. */
interface Current {
  /** The head and the body, of which `filled` bytes have arrived. */
  bytes: Buffer
  filled: number
  bodyAt: number
  /** Bytes of the next request, which came too early. */
  behind: Buffer
  /** True while the rest of the body is read. */
  isArriving: boolean
  /**
   * Resolves to true when the whole request has arrived and nothing after it, and to false if the gateway has to answer
   * it.
   */
  arrived: PromiseWithResolvers<boolean>
}

/**
 * A client connection that the gateway transferred. It reads plain ingest requests (`read-plain-head.ts`), one at a
 * time. If anything else arrives, the connection goes back to the gateway, with all bytes that were read and belong to
 * no served request. So the bytes of a client are parsed by one process at a time, and no process rewrites a request
 * for another process.
 */
export class DirectConnection {
  readonly socket: Socket
  readonly #options: DirectConnectionOptions
  readonly #over = new AbortController()
  /** The beginning of a head that has not arrived completely. */
  #begun = NOTHING
  #current: Current | undefined
  /** The last head. Most clients repeat it, and then it is not parsed again. */
  #known: KnownHead | undefined
  /** Since when the next request, or the rest of one, is awaited. */
  #waitsSince = performance.now()
  /** Since when a response waits for the client to read earlier ones. */
  #writesSince: number | undefined
  /** How many bytes were written when the client's unread bytes were last counted. */
  #checkedBytes = 0
  #isLast = false

  constructor(received: Socket, options: DirectConnectionOptions) {
    this.#options = options
    this.socket = withReadBuffer(received, (bytes) => this.#take(bytes))
    this.socket.on('error', () => this.socket.destroy())
    this.socket.once('close', () => this.#close())
    this.socket.once('end', () => this.#end())
  }

  /**
   * Returns the connection as soon as the request in progress is answered, or immediately if the connection waits for
   * bytes of the client.
   */
  finish(): void {
    this.#isLast = true
    if (this.#isWaiting) this.#return()
  }

  /** Whether the connection waits for bytes of the client. */
  get #isWaiting(): boolean {
    return this.#writesSince === undefined && (this.#current === undefined || this.#current.isArriving)
  }

  /**
   * Returns the connection if the client takes too long to begin a request or to send the rest of one. Also returns it
   * if the client leaves many responses unread, because the gateway limits unread responses. Resets the connection if a
   * response waits for too long.
   */
  check(idleMs: number): void {
    const now = performance.now()
    if (this.#isWaiting && now - this.#waitsSince > idleMs) return void this.#return()
    if (now - (this.#writesSince ?? now) > WRITE_LIMIT_MS) return void this.socket.resetAndDestroy()
    const { bytesWritten } = this.socket
    if (bytesWritten - this.#checkedBytes < UNCHECKED_BYTES) return
    this.#checkedBytes = bytesWritten
    void unreadOf(this.socket).then((bytes) => bytes > MAX_UNREAD_BYTES && this.finish())
  }

  #take(bytes: Buffer): void {
    if (this.#over.signal.aborted) return
    const current = this.#current
    if (current === undefined) return void this.#begin(bytes)
    const copied = bytes.copy(current.bytes, current.filled)
    current.filled += copied
    if (copied < bytes.length) current.behind = Buffer.from(bytes.subarray(copied))
    if (current.filled < current.bytes.length) return
    this.socket.pause()
    current.arrived.resolve(current.behind.length === 0)
  }

  #begin(bytes: Buffer): void {
    if (this.#begun.length === 0) this.#waitsSince = performance.now()
    const received = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes])
    const end = received.subarray(0, MAX_HEAD_BYTES).indexOf(END_OF_HEAD)
    if (end < 0 && received.length < MAX_HEAD_BYTES) {
      this.#begun = Buffer.from(received)
      return
    }
    const bodyAt = end + END_OF_HEAD.length
    const head = end < 0 ? undefined : this.#headOf(received.toString('latin1', 0, end))
    if (head === undefined || received.length > bodyAt + head.length) return void this.#returnConnection(received)
    const whole = takeBuffer(bodyAt + head.length)
    const arrived = Promise.withResolvers<boolean>()
    this.#current = { bytes: whole, filled: received.copy(whole), bodyAt, behind: NOTHING, isArriving: false, arrived }
    this.#begun = NOTHING
    // The rest of the body is read when there is memory for the request, and the next request after the response.
    this.socket.pause()
    void this.#serve(head, this.#current)
  }

  #headOf(text: string): KnownHead | undefined {
    if (text === this.#known?.text) return this.#known
    const head = readPlainHead(text)
    if (head === undefined || head.host !== this.#options.host || head.length > DIRECT_BODY_BYTES) return undefined
    const admit = this.#options.service.admissionOf(head)
    if (admit === undefined) return undefined
    this.#known = { text, length: head.length, admit }
    return this.#known
  }

  async #serve({ admit }: KnownHead, current: Current): Promise<void> {
    const admitted = await admit(this.#over.signal, this.#options.served).catch(() => undefined)
    if (admitted === undefined) return this.#returnConnection(receivedOf(current))
    if (!(await this.#untilArrived(current))) {
      admitted.withdraw()
      return this.#returnConnection(receivedOf(current))
    }
    const answer = await admitted.serve(current.bytes.subarray(current.bodyAt))
    if (answer === undefined) {
      admitted.withdraw()
      return this.#returnConnection(receivedOf(current))
    }
    if (answer.isBodyFree) releaseBuffer(current.bytes)
    this.#current = undefined
    if (this.#over.signal.aborted) return admitted.end()
    this.#writesSince = performance.now()
    this.socket.write(answer.text, 'latin1', () => {
      admitted.end()
      this.#writesSince = undefined
      this.#waitsSince = performance.now()
      if (this.#isLast) this.#return()
      else if (!this.#over.signal.aborted) this.socket.resume()
    })
  }

  async #untilArrived(current: Current): Promise<boolean> {
    if (this.#over.signal.aborted) return false
    if (current.filled === current.bytes.length) return true
    current.isArriving = true
    this.#waitsSince = performance.now()
    this.socket.resume()
    const isWhole = await current.arrived.promise
    current.isArriving = false
    this.socket.pause()
    return isWhole
  }

  /** Called when the client has ended its side of the connection. */
  #end(): void {
    const isUnused = this.#current === undefined && this.#begun.length === 0
    if (isUnused) this.socket.destroy()
    else this.#return()
  }

  /** Returns the connection with what has arrived of a request. */
  #return(): void {
    if (this.#current === undefined) this.#returnConnection(this.#begun)
    else this.#current.arrived.resolve(false)
  }

  #returnConnection(read: Buffer): void {
    const current = this.#current
    this.#current = undefined
    // `read` may be a part of the shared buffer, which the next read overwrites.
    const kept = Buffer.from(read)
    if (current) releaseBuffer(current.bytes)
    if (this.#over.signal.aborted) return
    this.socket.pause()
    this.#over.abort()
    this.#options.returnConnection(this.socket, kept)
  }

  #close(): void {
    this.#over.abort()
    this.#current?.arrived.resolve(false)
  }
}

const receivedOf = ({ bytes, filled, behind }: Current): Buffer => Buffer.concat([bytes.subarray(0, filled), behind])
