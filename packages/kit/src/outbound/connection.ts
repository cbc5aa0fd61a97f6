import net, { type Socket } from 'node:net'
import tls, { type TLSSocket } from 'node:tls'
import { sameAddress } from '../client-address/index.ts'
import { AddressRefused, OutboundFailed, type Progress } from './errors.ts'
import { isEmptyLine, ResponseReader } from './response-reader.ts'

export interface OutboundAnswer {
  status: number
  /** The response body, cut at its size limit. */
  body: Buffer
}

/** Where to connect to. */
export interface Peer {
  /** The checked address and not the name, so that nothing is resolved again. */
  address: string
  port: number
  isTls: boolean
  /** The name that the certificate must be for; empty: it must be for the address. */
  servername: string
  /** The TLS session of an earlier connection, for a shorter handshake. */
  session?: TlsSession | undefined
}

/** A TLS session. A connection that resumes the session does not verify the certificate again. */
export interface TlsSession {
  bytes: Buffer
  /** When the certificate was verified, by the clock of `performance.now`. */
  verifiedAtMs: number
}

/** What a response specifies about a connection that can be used again. */
export interface Kept {
  /** How long the receiver keeps the idle connection open; infinite if the response does not specify it. */
  forMs: number
}

interface Running {
  pieces: readonly Buffer[]
  reader: ResponseReader
  timer: NodeJS.Timeout
  resolve(answer: OutboundAnswer): void
  reject(err: Error): void
}

/**
 * Calls back after two turns of the event loop. In these turns Node reads what has arrived: the head of a response, and
 * its end.
 */
const afterReads = (then: () => void): void => void setImmediate(() => setImmediate(then))

/** A connection to a receiver. It has one request at a time, and accepts only the response to this request. */
export class Connection {
  readonly peer: Peer
  readonly #socket: Socket
  readonly #onKept: (connection: Connection, kept: Kept) => void
  #isConnected = false
  #isReady = false
  #requests = 0
  #running: Running | undefined

  /**
   * `onKept` is called after a response if the connection can have another request. `onClose` gets `wasReady`: whether
   * the connection was open (with TLS, after its handshake), and the socket was then closed without an error.
   */
  constructor(
    peer: Peer,
    onKept: (connection: Connection, kept: Kept) => void,
    onClose: (connection: Connection, wasReady: boolean) => void,
  ) {
    this.peer = peer
    this.#onKept = onKept
    this.#socket = open(peer)
    this.#socket.prependOnceListener('connect', () => this.#checkPeer(peer.address))
    this.#socket.once(peer.isTls ? 'secureConnect' : 'connect', () => this.#begin())
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes))
    this.#socket.on('end', () => this.#end())
    this.#socket.on('error', (err) => this.#fail(err))
    this.#socket.on('close', (hadError) => {
      this.#fail(failure('ECONNRESET'))
      onClose(this, this.#isReady && !hadError)
    })
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** The number of requests so far. */
  get requests(): number {
    return this.#requests
  }

  /** Calls back with sessions that a later connection can resume. */
  onSession(listener: (session: TlsSession) => void): void {
    const { session: resumed } = this.peer
    this.#socket.on('session', (bytes: Buffer) => {
      const isResumed = resumed !== undefined && (this.#socket as TLSSocket).isSessionReused()
      listener({ bytes, verifiedAtMs: isResumed ? resumed.verifiedAtMs : performance.now() })
    })
  }

  /**
   * Sends one request and returns its response. A redirect is returned like any other response. The time limit includes
   * connecting and the whole response.
   */
  request(pieces: readonly Buffer[], maxBytes: number, timeoutMs: number): Promise<OutboundAnswer> {
    this.#socket.ref()
    this.#requests++
    return new Promise((resolve, reject) => {
      // After this process was suspended, the timer fires before the sockets are read. So a response that has arrived
      // meanwhile is read first, and the request fails only if there is none.
      const onTimeout = () => afterReads(() => this.#running === running && this.#fail(failure('ETIMEDOUT')))
      const timer = setTimeout(onTimeout, Math.max(1, Math.ceil(timeoutMs)))
      const running: Running = { pieces, reader: new ResponseReader(maxBytes), timer, resolve, reject }
      this.#running = running
      if (this.#isReady) this.#write(pieces)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Verifies the peer address before anything is sent. */
  #checkPeer(address: string): void {
    const peer = this.#socket.remoteAddress
    // If the other end has closed the connection already, there is no address to compare.
    if (peer === undefined) this.#fail(failure('ECONNRESET'))
    else if (sameAddress(peer, address)) this.#isConnected = true
    else this.#fail(new AddressRefused('private_address'))
  }

  /** Called when the connection is open and, with TLS, the certificate is verified. */
  #begin(): void {
    if (this.#socket.destroyed) return
    this.#isReady = true
    if (this.#running !== undefined) this.#write(this.#running.pieces)
  }

  #write(pieces: readonly Buffer[]): void {
    if (pieces.length === 1) return void this.#socket.write(pieces[0]!)
    this.#socket.cork()
    for (const piece of pieces) this.#socket.write(piece)
    this.#socket.uncork()
  }

  #read(bytes: Buffer): void {
    const running = this.#running
    try {
      if (running?.reader.read(bytes)) this.#succeed(running)
      // Bytes without a request belong to no response.
      else if (running === undefined && !isEmptyLine(bytes)) this.close()
    } catch (err) {
      this.#fail(err as Error)
    }
  }

  #end(): void {
    if (this.#running?.reader.end()) this.#succeed(this.#running)
    else this.#fail(failure('ECONNRESET'))
  }

  #succeed({ reader, timer, resolve }: Running): void {
    clearTimeout(timer)
    this.#running = undefined
    // If the receiver responds before the whole request is sent, the rest of the request is not sent.
    if (!reader.isKept || this.#socket.writableLength > 0) this.close()
    else {
      this.#socket.unref()
      this.#onKept(this, { forMs: reader.keptMs })
    }
    resolve({ status: reader.status, body: reader.body })
  }

  /** Ends the connection, and its request if there is one. */
  #fail(err: Error & { code?: string }): void {
    const running = this.#running
    this.#running = undefined
    this.#socket.destroy()
    if (running === undefined) return
    clearTimeout(running.timer)
    const code = err.code ?? 'EUNKNOWN'
    running.reject(err instanceof AddressRefused ? err : new OutboundFailed(code, this.#progress(code, running)))
  }

  #progress(code: string, { reader }: Running): Progress {
    if (!this.#isConnected) return 'not_connected'
    const isReset = code === 'ECONNRESET' || code === 'EPIPE'
    return this.#requests > 1 && !reader.hasStarted && isReset ? 'stale_socket' : 'sent'
  }
}

const failure = (code: string): Error & { code: string } => Object.assign(new Error(code), { code })

function open({ address, port, isTls, servername, session }: Peer): Socket {
  const to = { host: address, port, noDelay: true }
  if (!isTls) return net.connect(to)
  // The certificate is verified by default. The option is set because an environment variable can change the default.
  const verified = { rejectUnauthorized: true }
  return tls.connect({ ...to, ...verified, servername, ...(session && { session: session.bytes }) })
}
