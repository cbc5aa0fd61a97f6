import type { Socket } from 'node:net'
import { DIRECT_BODY_BYTES } from '@storey/contract'
import { releaseBuffer, takeBuffer } from '@storey/kit/http'
import { unreadOf } from '@storey/kit/unread'
import type { StoreMessage } from './message-service.ts'
import { readPlainPublish } from './read-plain-publish.ts'
import { MAX_READ_BYTES, withReadBuffer } from './with-read-buffer.ts'

export interface MessageConnectionOptions {
  /** If a message to any other topic arrives, the connection is returned to the broker. */
  topic: string
  buildingId: string
  /** The bytes that the broker has read. */
  read: Buffer
  store: StoreMessage
  /** Called when a message was stored. */
  stored(): void
  /**
   * Returns the connection to the broker, with the bytes already read, and how long the client has sent nothing. If the
   * connection has ended, `socket` is undefined; the broker handles the bytes nevertheless.
   */
  returnConnection(socket: Socket | undefined, read: Buffer, silentMs: number): void
}

/** Enough for a packet of any size that is served, and for all bytes of one read. */
const BUFFER_BYTES = DIRECT_BODY_BYTES + MAX_READ_BYTES
/** How long an acknowledgement may wait until the client reads earlier ones. The broker has the same limit. */
const WRITE_LIMIT_MS = 10_000
/** After this many bytes of acknowledgements, `check` counts those that the client has not read. */
const UNCHECKED_BYTES = 64 * 1024
const MAX_UNREAD_BYTES = 64 * 1024
const PINGRESP = Buffer.from([0xd0, 0])

/**
 * The connection of an MQTT client that the broker transferred. It stores plain messages (`read-plain-publish.ts`), one
 * at a time and in order, and acknowledges each of them after its commit. If another packet arrives, or a message is
 * refused, the connection goes back to the broker, with all bytes from the beginning of that packet on.
 */
export class MessageConnection {
  readonly socket: Socket
  readonly #options: MessageConnectionOptions
  readonly #topic: Buffer
  /** Aborted when the message in progress must not wait for memory any more. */
  readonly #waits = new AbortController()
  /** The bytes that are read and not acknowledged: from `#from` to `#to`. */
  readonly #buffer = takeBuffer(BUFFER_BYTES)
  #from = 0
  #to = 0
  /** False if the buffer is in use even after the connection went back. */
  #isBufferFree = true
  #isStoring = false
  #isReading = true
  /** Since when the rest of a packet, or the next one, is awaited. */
  #waitsSince = performance.now()
  /** When the last byte arrived. */
  #heardAt = performance.now()
  #writes = 0
  #writesSince = 0
  #checkedBytes = 0
  /** Whether the next ping is answered here: true at first and after each stored message, false after a ping. */
  #mayPing = true
  #isLast = false
  /** Whether the connection went back, or has ended. */
  #isOver = false

  constructor(received: Socket, options: MessageConnectionOptions) {
    this.#options = options
    this.#topic = Buffer.from(options.topic)
    this.socket = withReadBuffer(received, (bytes) => this.#take(bytes))
    this.socket.on('error', () => this.socket.destroy())
    this.socket.once('close', () => this.finish())
    this.socket.once('end', () => this.finish())
    this.#to = options.read.copy(this.#buffer)
  }

  /** Serves the bytes that the broker has read. */
  start(): void {
    this.#step()
  }

  /**
   * Returns the connection as soon as the message in progress is acknowledged, or immediately if that message still
   * waits for memory.
   */
  finish(): void {
    this.#isLast = true
    this.#waits.abort()
    this.#step()
  }

  /**
   * Returns the connection if the client sends no whole packet for too long. Also returns it if the client leaves many
   * acknowledgements unread, because only the broker limits the unread bytes of all its clients together. Resets the
   * connection if an acknowledgement waits for too long.
   */
  check(idleMs: number): void {
    const now = performance.now()
    const isWaiting = !this.#isStoring && this.#writes === 0
    if (isWaiting && now - this.#waitsSince > idleMs) return void this.finish()
    if (this.#writes > 0 && now - this.#writesSince > WRITE_LIMIT_MS) return void this.socket.resetAndDestroy()
    const { bytesWritten } = this.socket
    if (bytesWritten - this.#checkedBytes < UNCHECKED_BYTES) return
    this.#checkedBytes = bytesWritten
    void unreadOf(this.socket).then((bytes) => bytes > MAX_UNREAD_BYTES && this.finish())
  }

  #take(bytes: Buffer): void {
    this.#heardAt = performance.now()
    if (this.#from === this.#to) this.#waitsSince = this.#heardAt
    this.#to += bytes.copy(this.#buffer, this.#to)
    this.#step()
  }

  /** Handles the next packet, or returns the connection. While a message or a write is in progress, only reads. */
  #step(): void {
    if (this.#isOver) return
    const isClosed = this.socket.destroyed
    if (!this.#isStoring && (this.#writes === 0 || isClosed)) {
      if (this.#isLast || isClosed) return void this.#returnConnection()
      this.#storeNext()
      if (this.#isLast && this.#writes === 0) return void this.#returnConnection()
    }
    this.#readIfRoom()
  }

  #storeNext(): void {
    const packet = readPlainPublish(this.#buffer, this.#from, this.#to, this.#topic)
    if (packet.kind === 'publish' && packet.length <= this.#to - this.#from)
      return void this.#store(this.#from + packet.payloadAt, this.#from + packet.length, packet.messageId)
    if (packet.kind === 'ping' && this.#mayPing) {
      this.#mayPing = false
      this.#from += 2
      return void this.#write(PINGRESP)
    }
    // A second ping without a message in between is left to the broker, which limits such pings.
    if (packet.kind === 'other' || packet.kind === 'ping') this.#isLast = true
  }

  async #store(payloadAt: number, end: number, messageId: number): Promise<void> {
    this.#isStoring = true
    const { store, stored, buildingId } = this.#options
    const result = await store(buildingId, this.#buffer.subarray(payloadAt, end), this.#waits.signal)
    this.#isStoring = false
    if (result === 'stored') {
      this.#from = end
      this.#mayPing = true
      this.#waitsSince = performance.now()
      stored()
      if (!this.socket.destroyed) this.#write(Buffer.from([0x40, 2, messageId >> 8, messageId & 255]))
    } else {
      this.#isLast = true
      this.#isBufferFree = result !== 'overdue'
    }
    this.#step()
  }

  #write(bytes: Buffer): void {
    this.#writesSince = performance.now()
    this.#writes++
    this.socket.write(bytes, () => {
      this.#writes--
      this.#step()
    })
  }

  /** Reads only if the buffer has room for all bytes of one read. A payload in progress is not moved. */
  #readIfRoom(): void {
    if (this.#from === this.#to && !this.#isStoring) this.#from = this.#to = 0
    if (BUFFER_BYTES - this.#to < MAX_READ_BYTES && !this.#isStoring && this.#from > 0) {
      this.#buffer.copyWithin(0, this.#from, this.#to)
      this.#to -= this.#from
      this.#from = 0
    }
    const hasRoom = BUFFER_BYTES - this.#to >= MAX_READ_BYTES
    if (hasRoom === this.#isReading) return
    this.#isReading = hasRoom
    if (hasRoom) this.socket.resume()
    else this.socket.pause()
  }

  #returnConnection(): void {
    this.#isOver = true
    const { socket } = this
    socket.pause()
    const read = Buffer.from(this.#buffer.subarray(this.#from, this.#to))
    if (this.#isBufferFree) releaseBuffer(this.#buffer)
    this.#options.returnConnection(socket.destroyed ? undefined : socket, read, performance.now() - this.#heardAt)
  }
}
