import type { Socket } from 'node:net'
import { closeOrReset } from '@storey/kit/unread'
import { stopReading } from './stop-reading.ts'

export type Written = (err?: Error | null) => void

/** What a connection reports. */
export interface SocketEvents {
  data(bytes: Buffer): void
  end(): void
  error(err: Error): void
  close(): void
}

/** After this idle time TCP keep-alive probes are sent. They detect vanished clients that use no MQTT keep-alive. */
const PROBE_MS = 60_000

/**
 * The TCP connection of a client, which can be lent to another process and is returned as another socket. Bytes that
 * are written while the connection is lent wait until it is returned.
 */
export class LendableSocket {
  readonly #events: SocketEvents
  /** Undefined while the connection is lent, and afterwards if it ended while it was lent. */
  #socket: Socket | undefined
  #isLent = false
  #recall: (() => void) | undefined
  #unwritten: { bytes: Buffer; done: Written } | undefined

  constructor(socket: Socket, events: SocketEvents) {
    this.#events = events
    this.#listen(socket)
  }

  #listen(socket: Socket): void {
    this.#socket = socket.setNoDelay(true).setKeepAlive(true, PROBE_MS)
    for (const [event, listener] of Object.entries(this.#events)) socket.on(event, listener)
  }

  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }

  /** How many bytes were read and not reported, because the socket is paused. */
  get readableLength(): number {
    return this.#socket?.readableLength ?? 0
  }

  write(bytes: Buffer, done: Written): void {
    if (this.#socket) return void this.#socket.write(bytes, done)
    if (!this.#isLent) return void done()
    this.#unwritten = { bytes, done }
    this.#recall?.()
  }

  end(done: () => void): void {
    if (this.#socket) this.#socket.end(done)
    else done()
  }

  /** Closes the connection. What was written is still sent, if the client reads it in time. */
  close(): void {
    if (this.#socket) void closeOrReset(this.#socket)
    this.#recall?.()
  }

  /**
   * Detaches the socket, and returns it with the bytes that were read and not reported. Returns undefined if the
   * connection has ended or is lent, or while something is being written.
   */
  detach(): { socket: Socket; read: Buffer } | undefined {
    const socket = this.#socket
    if (socket === undefined || socket.destroyed || socket.writableLength > 0) return undefined
    for (const [event, listener] of Object.entries(this.#events)) socket.off(event, listener)
    socket.on('error', () => undefined)
    this.#socket = undefined
    this.#isLent = true
    return { socket, read: stopReading(socket) }
  }

  /**
   * Call this when another process has the connection. `recall` requests the return of the connection: this class
   * calls it when the connection is closed or written to.
   */
  lent(recall: () => void): void {
    this.#recall = recall
  }

  /** Continues with a returned connection. `socket` is undefined if the connection ended while it was lent. */
  attach(socket: Socket | undefined): void {
    this.#isLent = false
    this.#recall = undefined
    if (socket) {
      // The broker sets this option for the connections that it accepts, and a returned socket does not have it.
      socket.allowHalfOpen = true
      this.#listen(socket)
    }
    const unwritten = this.#unwritten
    this.#unwritten = undefined
    if (unwritten) this.write(unwritten.bytes, unwritten.done)
  }
}
