import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { elapsedMs } from '@storey/kit/clock'
import { noteUsed } from '@storey/kit/collect-garbage'
import { takeBuffer } from '@storey/kit/http'
import { closeOrReset } from '@storey/kit/unread'
import { CLIPPED_PUBLISH_BYTES, isQos1Publish, lengthDigits, lengthOf, MAX_PUBLISH_BYTES, PUBLISH } from './framing.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { createPacketRate, type PacketRate } from './packet-rate.ts'

const CONNECT = 1

/** The maximum size of a CONNECT packet, which may contain a will. */
const MAX_CONNECT_BYTES = 64 * 1024
/**
 * The maximum size of all packets except CONNECT and PUBLISH. The longest is a list with the maximum number of filters.
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
/** The time of TCP keep-alive, which detects vanished clients that use no MQTT keep-alive. */
const PROBE_MS = 60_000

/** A message on its way to the broker: how many bytes of the budget it uses, and how many bytes were dropped. */
export interface Forwarded {
  bytes: number
  leftOut: number
}

interface Collected {
  header: Buffer
  body: Buffer
  forwarded: Forwarded
}

/**
 * Gets the body of a PUBLISH packet with QoS 1. True if it handles the message, and calls `release` when that is done.
 * False if the broker has to handle it.
 */
export type TakeMessage = (body: Buffer, forwarded: Forwarded) => boolean

/**
 * Sits between a socket and the broker and forwards whole packets within the memory budget. The broker's own parser
 * buffers up to 256 MB, and keeps reading while messages wait.
 */
export class ThrottledSocket extends Duplex {
  readonly #socket: Socket
  readonly #header: number[] = []
  #budget: MemoryBudget | undefined
  #packetRate: PacketRate | undefined
  #takeMessage: TakeMessage | undefined
  #connectSeen = false
  /** How many bytes of the current packet are still to be forwarded, and how many to be dropped. */
  #pass = 0
  #drop = 0
  /** The message that is being collected for `takeMessage`. */
  #message: Collected | undefined
  /** The received bytes of a packet that has to wait, and those behind it. */
  #held: Buffer | undefined
  #ended = false
  /** Messages that were forwarded and not handled yet. */
  readonly #forwarded: Forwarded[] = []
  #inFlight = 0
  /** Closes the connection of a client that does not sign in in time. */
  #limit: NodeJS.Timeout
  #stall: NodeJS.Timeout | undefined
  #packetUntil = 0
  #silence: NodeJS.Timeout | undefined
  readonly #onConnect: () => void

  /** `onConnect` is called when the CONNECT packet has arrived. */
  constructor(socket: Socket, onConnect: () => void = () => undefined) {
    super()
    this.#onConnect = onConnect
    this.#socket = socket.setNoDelay(true).setKeepAlive(true, PROBE_MS)
    this.#limit = this.#endAfter(CONNECT_LIMIT_MS, 'no CONNECT in time')
    socket.on('data', (chunk: Buffer) => {
      this.#arrived(chunk)
      noteUsed(chunk.length)
    })
    socket.on('end', () => {
      this.#ended = true
      if (this.#held === undefined) this.push(null)
    })
    socket.on('error', (err) => this.destroy(err))
    socket.on('close', () => this.destroy())
  }

  /** Call this when the client is authenticated. From now on its packets count towards these limits. */
  open(budget: MemoryBudget, packetRate = createPacketRate(), takeMessage?: TakeMessage): void {
    clearTimeout(this.#limit)
    this.#budget = budget
    this.#packetRate = packetRate
    this.#takeMessage = takeMessage
    this.#resume()
  }

  /** Closes the connection when nothing arrives for this long, unless the client has to wait. */
  limitSilence(ms: number): void {
    this.#silence = setTimeout(() => {
      if (this.#held === undefined) this.destroy(new Error('keep-alive timed out'))
      else this.#silence?.refresh()
    }, ms).unref()
  }

  /** Removes the oldest forwarded message; the caller releases its bytes. */
  shiftForwarded(): Forwarded {
    return this.#forwarded.shift() ?? { bytes: 0, leftOut: 0 }
  }

  /** Returns the bytes of a message to the budget. Call it when the message is handled. */
  release(bytes: number): void {
    if (bytes === 0) return
    this.#inFlight--
    this.#budget?.release(bytes)
    this.#resume()
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
    this.#silence?.refresh()
    this.#feed(chunk)
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
    while (rest.length > 0 && !this.destroyed) {
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
    if (this.#message) passed.copy(this.#message.body, this.#message.body.length - this.#pass)
    else if (passed.length > 0) this.push(passed)
    this.#pass -= passed.length
    if (this.#pass === 0) this.#bodyCame()
    const dropped = Math.min(this.#drop, rest.length - passed.length)
    this.#drop -= dropped
    return rest.subarray(passed.length + dropped)
  }

  #bodyCame(): void {
    if (this.#budget === undefined) this.#connectCame()
    if (this.#message === undefined) return
    const { header, body, forwarded } = this.#message
    this.#message = undefined
    // A message behind one that the broker has not handled yet must not overtake it.
    if (this.#forwarded.length === 0 && this.#takeMessage!(body, forwarded)) return
    this.#forwarded.push(forwarded)
    this.push(header)
    this.push(body)
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
    const type = this.#header[0]! >> 4
    const isMessage = type === PUBLISH
    const passed = isMessage && length > MAX_PUBLISH_BYTES ? CLIPPED_PUBLISH_BYTES : length
    const most = type === CONNECT ? MAX_CONNECT_BYTES : MAX_CONTROL_BYTES
    if (!isMessage && length > most) return this.#refuse('packet too large')
    if (!this.#connectSeen && type !== CONNECT) return this.#refuse('first packet is not CONNECT')
    if (this.#connectSeen && this.#budget === undefined) return false
    if (isMessage && !this.#admit(passed + 1)) return false
    if (!isMessage && this.#packetRate?.take(length, () => this.#resume()) === false) return false
    this.#connectSeen = true
    const header = Buffer.from([this.#header[0]!, ...lengthDigits(passed)])
    const forwarded = { bytes: passed + 1, leftOut: length - passed }
    if (this.#takeMessage && isQos1Publish(header) && passed > 0) {
      this.#message = { header, body: takeBuffer(passed), forwarded }
    } else {
      if (isMessage) this.#forwarded.push(forwarded)
      this.push(header)
    }
    this.#header.length = 0
    this.#pass = passed
    this.#drop = length - passed
    this.#packetUntil = elapsedMs() + STALL_LIMIT_MS + length / MIN_BYTES_PER_MS
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
    if (held === undefined || this.destroyed) return
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

  override _write(chunk: Buffer, _encoding: string, done: (err?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }

  /** The broker writes a packet in pieces, which are sent together. */
  override _writev(chunks: { chunk: Buffer }[], done: (err?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(err: Error | null, done: (err: Error | null) => void): void {
    this.#held = undefined
    clearTimeout(this.#limit)
    clearTimeout(this.#stall)
    clearTimeout(this.#silence)
    if (this.#message) this.#budget?.release(this.#message.forwarded.bytes)
    for (const { bytes } of this.#forwarded.splice(0)) this.#budget?.release(bytes)
    // This still sends what was written, such as the reason of a refusal, if the client reads it in time.
    void closeOrReset(this.#socket)
    done(err)
  }
}
