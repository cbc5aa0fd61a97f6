import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { elapsedMs } from '@storey/kit/clock'
import { freeBuffer } from '@storey/kit/free-buffer'
import { ByteCollector } from '@storey/kit/http'
import {
  CLIPPED_PUBLISH_BYTES,
  CONNECT,
  DISCONNECT,
  lengthDigits,
  lengthOf,
  MAX_PUBLISH_BYTES,
  PUBLISH,
  typeOf,
} from './framing.ts'
import { LendableSocket, type Written } from './lendable-socket.ts'
import type { MemoryBudget } from './memory-budget.ts'
import type { PacketRate } from './packet-rate.ts'
import { SilenceLimit } from './silence-limit.ts'

/** The maximum size of a CONNECT packet, which may contain a will. */
const MAX_CONNECT_BYTES = 64 * 1024
/**
 * The maximum size of a packet other than CONNECT and PUBLISH. The longest is a SUBSCRIBE with `MAX_FILTERS` filters
 * (`sessions.ts`).
 */
const MAX_CONTROL_BYTES = 16 * 1024
/** The maximum number of messages of one client that are read before the first of them is stored. */
const MAX_IN_FLIGHT = 32
/** How long a new connection may take to send CONNECT, and how long its credentials may then take to be accepted. */
const CONNECT_LIMIT_MS = 5_000
const SIGN_IN_LIMIT_MS = 20_000
/** How long a client may pause within a packet, and the minimum rate of a whole packet. */
const STALL_LIMIT_MS = 10_000
const MIN_BYTES_PER_MS = 16
/** One byte for the type and the flags of a packet, and at most four for its length. */
const MAX_HEADER_BYTES = 5
const NOTHING = Buffer.alloc(0)

/** A packet that arrived completely, except for dropped bytes of a message above the limit. */
export interface Packet {
  /** Type and flags. */
  firstByte: number
  /** Everything after the length. */
  body: Buffer
  /** How many bytes of the budget a message uses; 0 for any other packet. */
  budgetBytes: number
  /** How many bytes of the message were dropped. */
  leftOut: number
}

/**
 * Gets every packet after CONNECT. Returns false if the broker has to handle the packet. It returns true for every
 * message: it handles messages itself, and then calls `release`.
 */
export type TakePacket = (packet: Packet) => boolean

/** A TCP connection, and bytes that were read from it. Without a socket, the connection has ended after these bytes. */
export interface AttachedConnection {
  socket: Socket | undefined
  read: Buffer
  /** How long the client has sent nothing. */
  silentMs: number
}

/**
 * Connects a socket with the broker, and reads whole packets within the memory budget. The broker's own parser buffers
 * up to 256 MB, and keeps reading while messages wait.
 */
export class ThrottledSocket extends Duplex {
  readonly #socket: LendableSocket
  readonly #header: number[] = []
  #budget: MemoryBudget | undefined
  #packetRate: PacketRate | undefined
  #takePacket: TakePacket | undefined
  #connectSeen = false
  /** The bytes of the current packet that have not arrived: first `#pass` bytes to keep, then `#drop` to drop. */
  #pass = 0
  #drop = 0
  /** The packet that is being collected. CONNECT is not collected: it is passed to the broker as it arrives. */
  #packet: (Omit<Packet, 'body'> & { bytes: ByteCollector }) | undefined
  /**
   * The buffer that was read last. It is freed when its bytes are copied. Undefined if a part of it was passed on
   * without a copy.
   */
  #chunk: Buffer | undefined
  /** The received bytes of a packet that has to wait, and the bytes after them. */
  #held: Buffer | undefined
  #ended = false
  /** Messages that are not handled yet. */
  #inFlight = 0
  /** Whether the client has sent DISCONNECT, after which nothing more is read. */
  #isLeaving = false
  /** Whether the connection is to be closed once no message is in flight. */
  #closesWhenIdle = false
  /** Closes the connection of a client that takes too long to send CONNECT or to be authenticated. */
  #limit: NodeJS.Timeout
  #stall: NodeJS.Timeout | undefined
  #packetUntil = 0
  readonly #silence = new SilenceLimit(() => {
    if (this.#held === undefined && !this.#isStopped) this.destroy(new Error('keep-alive timed out'))
    else this.#silence.restart()
  })
  readonly #onConnect: () => void
  /** Whether nothing is read, because the connection is about to be lent. */
  #isStopped = false

  /** `onConnect` is called when the CONNECT packet has arrived. */
  constructor(socket: Socket, onConnect: () => void = () => undefined) {
    super()
    this.#onConnect = onConnect
    this.#limit = this.#endAfter(CONNECT_LIMIT_MS, 'no CONNECT in time')
    this.#socket = new LendableSocket(socket, {
      data: (chunk) => {
        this.#chunk = chunk
        this.#arrived(chunk)
      },
      end: () => this.#end(),
      error: (err) => this.destroy(this.#isLeaving ? undefined : err),
      close: () => this.destroy(),
    })
  }

  #end(): void {
    this.#ended = true
    if (this.#held === undefined) this.push(null)
  }

  /**
   * Call this when the client is authenticated. From now on `budget` limits the messages of the client, and
   * `packetRate` its other packets.
   */
  open(budget: MemoryBudget, packetRate: PacketRate, takePacket: TakePacket): void {
    clearTimeout(this.#limit)
    this.#budget = budget
    this.#packetRate = packetRate
    this.#takePacket = takePacket
    this.#resume()
  }

  /** Closes the connection when nothing arrives for this long, unless the client has to wait. */
  limitSilence(ms: number): void {
    this.#silence.begin(ms)
  }

  /** How long the client may be silent; 0: for ever. */
  get silenceLimitMs(): number {
    return this.#silence.ms
  }

  /** Reads nothing more, until `start` or `attach` is called. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#stall)
    this.#socket.pause()
  }

  /** Reads again after `stop`. */
  start(): void {
    if (!this.#isStopped || this.destroyed) return
    this.#isStopped = false
    if (this.#held !== undefined) return void this.#resume()
    this.#arrived(NOTHING)
    this.#socket.resume()
  }

  /** Resolves when everything was written. */
  written(): Promise<void> {
    return new Promise((resolve) => this.write(NOTHING, () => resolve()))
  }

  /**
   * Detaches the socket and returns it, with the bytes of all packets that are incomplete or wait. Call this after
   * `stop`, when all other packets are handled. Returns undefined if the connection cannot be detached now, or if the
   * bytes exceed `maxBytes`.
   */
  detach(maxBytes: number): { socket: Socket; read: Buffer } | undefined {
    const isUsable = this.#isStopped && !this.destroyed && !this.#isLeaving && !this.#ended && this.#drop === 0
    const waiting = (this.#held?.length ?? 0) + this.#socket.readableLength
    const isLong = MAX_HEADER_BYTES + (this.#packet?.bytes.arrived ?? 0) + waiting > maxBytes
    const detached = isUsable && !isLong && this.writableLength === 0 ? this.#socket.detach() : undefined
    if (detached === undefined) return undefined
    this.#silence.stop()
    const packet = this.#packet
    const begun = packet
      ? [Buffer.from([packet.firstByte, ...lengthDigits(packet.bytes.length)]), packet.bytes.arrivedBytes()]
      : [Buffer.from(this.#header)]
    const read = Buffer.concat([...begun, this.#held ?? NOTHING, detached.read])
    this.#freeHeld()
    this.#packet = undefined
    this.#header.length = 0
    this.#pass = 0
    packet?.bytes.drop()
    if (packet && packet.budgetBytes > 0) {
      this.#inFlight--
      this.#budget!.release(packet.budgetBytes)
    }
    return { socket: detached.socket, read }
  }

  /**
   * Call this when another process serves the detached connection. `recall` requests the connection back. It is called
   * when this stream is closed or written to.
   */
  lent(recall: () => void): void {
    this.#socket.lent(recall)
  }

  /** Continues with a connection that was detached. */
  attach({ socket, read, silentMs }: AttachedConnection): void {
    if (this.destroyed) return void socket?.destroy()
    this.#isStopped = false
    this.#socket.attach(socket)
    this.#chunk = read
    if (read.length > 0) this.#arrived(read)
    if (socket === undefined) return void this.#end()
    if (!this.#isLeaving) this.#silence.continueAfter(silentMs)
    if (this.#held === undefined && !this.destroyed) this.#socket.resume()
  }

  /** Returns the bytes of a message to the budget. Call it when the message is handled. */
  release(bytes: number): void {
    if (bytes === 0) return
    this.#inFlight--
    this.#budget?.release(bytes)
    this.#resume()
    // The connection is closed a turn later, so that the acknowledgement of this message is written first.
    if (this.#closesWhenIdle && this.#inFlight === 0) setImmediate(() => super.destroy())
  }

  /**
   * After DISCONNECT, the connection is destroyed only when all messages in progress are handled, because the client
   * does not send them again.
   */
  override destroy(err?: Error): this {
    if (err || !this.#isLeaving || this.#inFlight === 0) return super.destroy(err)
    this.#closesWhenIdle = true
    return this
  }

  /** Resolves when the client has read what was written. A client that takes longer than the limit is disconnected. */
  async drained(limitMs: number): Promise<void> {
    const limit = this.#endAfter(limitMs, 'client does not read')
    const { promise, resolve } = Promise.withResolvers<void>()
    this.once('drain', resolve).once('close', resolve)
    await promise
    this.off('drain', resolve).off('close', resolve)
    clearTimeout(limit)
  }

  #endAfter(ms: number, reason: string): NodeJS.Timeout {
    return setTimeout(() => this.destroy(new Error(reason)), ms).unref()
  }

  #arrived(chunk: Buffer): void {
    this.#silence.restart()
    this.#feed(chunk)
    // All bytes of the chunk have been copied.
    if (this.#held === undefined && this.#chunk) freeBuffer(this.#chunk)
    clearTimeout(this.#stall)
    const isWithin = this.#header.length > 0 || this.#pass + this.#drop > 0
    // No time limit applies while the socket is paused, because the client cannot continue then.
    if (!isWithin || this.#held !== undefined || this.destroyed) return
    const isBody = this.#pass + this.#drop > 0
    const leftMs = isBody ? Math.max(0, this.#packetUntil - elapsedMs()) : STALL_LIMIT_MS
    this.#stall = this.#endAfter(Math.min(STALL_LIMIT_MS, leftMs), 'packet stalled')
  }

  #feed(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0 && !this.destroyed && !this.#isLeaving) {
      if (this.#pass + this.#drop > 0) {
        rest = this.#body(rest)
        continue
      }
      const length = this.#readHeader(rest[0]!)
      if (length !== undefined && !this.#begin(length)) {
        // After the wait, feeding continues with the last byte of the header, so that byte is removed here.
        this.#header.pop()
        this.#held = rest
        this.#socket.pause()
        return
      }
      rest = rest.subarray(1)
    }
  }

  #body(rest: Buffer): Buffer {
    const passed = rest.subarray(0, this.#pass)
    if (this.#packet) this.#packet.bytes.add(passed)
    else if (passed.length > 0) {
      this.#chunk = undefined
      this.push(passed)
    }
    this.#pass -= passed.length
    if (this.#pass === 0) this.#bodyCame()
    const dropped = Math.min(this.#drop, rest.length - passed.length)
    this.#drop -= dropped
    return rest.subarray(passed.length + dropped)
  }

  #bodyCame(): void {
    if (this.#budget === undefined) this.#connectCame()
    if (this.#packet === undefined) return
    const { bytes, ...fields } = this.#packet
    const packet = { ...fields, body: bytes.take() }
    this.#packet = undefined
    if (typeOf(packet.firstByte) === DISCONNECT) {
      this.#isLeaving = true
      this.#silence.stop()
    }
    if (this.#takePacket!(packet)) return
    this.push(Buffer.from([packet.firstByte, ...lengthDigits(packet.body.length)]))
    this.push(packet.body)
  }

  #connectCame(): void {
    clearTimeout(this.#limit)
    this.#limit = this.#endAfter(SIGN_IN_LIMIT_MS, 'authentication timed out')
    this.#onConnect()
  }

  /** The length of the packet once its header is complete. */
  #readHeader(byte: number): number | undefined {
    this.#header.push(byte)
    const [, ...digits] = this.#header
    if (digits.length === 0) return undefined
    if (digits.length > 4) {
      this.destroy(new Error('packet length has more than four bytes'))
      return undefined
    }
    if (byte >= 128) return undefined
    return lengthOf(digits)
  }

  /** Decides what happens to the packet with this length. False when it has to wait. */
  #begin(length: number): boolean {
    const firstByte = this.#header[0]!
    const type = typeOf(firstByte)
    const isMessage = type === PUBLISH
    const passed = isMessage && length > MAX_PUBLISH_BYTES ? CLIPPED_PUBLISH_BYTES : length
    const maxLength = type === CONNECT ? MAX_CONNECT_BYTES : MAX_CONTROL_BYTES
    if (!isMessage && length > maxLength) return this.#refuse('packet too large')
    if (!this.#connectSeen && type !== CONNECT) return this.#refuse('first packet is not CONNECT')
    if (this.#connectSeen && this.#budget === undefined) return false
    if (isMessage && !this.#admit(passed + 1)) return false
    if (!isMessage && this.#packetRate?.take(length, () => this.#resume()) === false) return false
    if (this.#connectSeen) {
      const budgetBytes = isMessage ? passed + 1 : 0
      this.#packet = { firstByte, bytes: new ByteCollector(passed), budgetBytes, leftOut: length - passed }
    } else {
      this.push(Buffer.from([firstByte, ...lengthDigits(passed)]))
    }
    this.#connectSeen = true
    this.#header.length = 0
    this.#pass = passed
    this.#drop = length - passed
    this.#packetUntil = elapsedMs() + STALL_LIMIT_MS + length / MIN_BYTES_PER_MS
    if (length === 0) this.#bodyCame()
    return true
  }

  #admit(bytes: number): boolean {
    if (this.#inFlight >= MAX_IN_FLIGHT) return false
    if (!this.#budget!.reserve(bytes)) {
      this.#budget!.onFree(() => this.#resume())
      return false
    }
    this.#inFlight++
    return true
  }

  #refuse(reason: string): true {
    this.destroy(new Error(reason))
    return true
  }

  #resume(): void {
    const held = this.#held
    if (held === undefined || this.destroyed || this.#isStopped) return
    this.#held = undefined
    this.#arrived(held)
    if (this.#held !== undefined || this.destroyed) return
    if (this.#ended) this.push(null)
    else this.#socket.resume()
  }

  override _read(): void {}

  /** The broker expects that one read returns everything, but since Node 26 a read without a size returns one chunk. */
  override read(size?: number): Buffer | null {
    return super.read(size ?? (this.readableLength || undefined))
  }

  override _write(chunk: Buffer, _encoding: string, done: Written): void {
    this.#socket.write(chunk, this.#written(done))
  }

  /** The broker writes a packet in pieces, which are sent together. */
  override _writev(chunks: { chunk: Buffer }[], done: Written): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), this.#written(done))
  }

  /**
   * A client that has sent DISCONNECT may close the connection before its last messages are acknowledged, which is no
   * error.
   */
  #written(done: Written): Written {
    return (err) => done(this.#isLeaving ? null : err)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  #freeHeld(): void {
    if (this.#held !== undefined && this.#chunk) freeBuffer(this.#chunk)
    this.#held = undefined
  }

  /** Frees the memory of a packet that will not be completed. */
  #abandon(): void {
    const packet = this.#packet
    if (packet === undefined) return
    this.#packet = undefined
    if (packet.budgetBytes > 0) this.#budget!.abandon(packet.budgetBytes, packet.bytes.arrived)
    packet.bytes.drop()
  }

  override _destroy(err: Error | null, done: (err: Error | null) => void): void {
    this.#freeHeld()
    clearTimeout(this.#limit)
    clearTimeout(this.#stall)
    this.#silence.stop()
    this.#abandon()
    // What was written before, such as the reason for a refusal, is still sent.
    this.#socket.close()
    done(err)
  }
}
