import type { Exchange } from './connection.ts'

/** A budget of bytes: at most `burst` at once, and `perSecond` in the long run. */
export interface ByteRate {
  burst: number
  perSecond: number
}

export interface UnreadBytesOptions {
  perAddress: ByteRate
  /** All addresses together. */
  total: ByteRate
  now?: () => number
}

const MB = 1024 * 1024

/**
 * Far more than browsers load without signing in, and far less than what makes the kernel short of memory for
 * connections.
 */
export const UNREAD_BYTES: UnreadBytesOptions = {
  perAddress: { burst: 24 * MB, perSecond: 4 * MB },
  total: { burst: 128 * MB, perSecond: 32 * MB },
}

/** A response counts with this size until its real size is known. */
const EXPECTED_BYTES = 128 * 1024
const MAX_ADDRESSES = 10_000

/** How many of the sent bytes may still be unread, if clients read at the rate of the budget. */
class Level {
  #bytes = 0
  #at: number
  readonly #rate: ByteRate

  constructor(rate: ByteRate, now: number) {
    this.#rate = rate
    this.#at = now
  }

  bytesAt(now: number): number {
    this.#bytes = Math.max(0, this.#bytes - ((now - this.#at) / 1000) * this.#rate.perSecond)
    this.#at = now
    return this.#bytes
  }

  add(bytes: number, now: number): void {
    this.#bytes = Math.max(0, this.bytesAt(now) + bytes)
  }

  waitMs(now: number): number {
    return Math.max(0, ((this.bytesAt(now) - this.#rate.burst) / this.#rate.perSecond) * 1000)
  }
}

/**
 * Limits the bytes of responses to unauthenticated clients. A client that does not read makes the kernel buffer some 4
 * MB for each of its connections, and the service cannot see whether they are read. Hundreds of such connections would
 * use up the kernel's memory for all connections of the machine.
 */
export function createUnreadBytes(options: UnreadBytesOptions = UNREAD_BYTES) {
  const { perAddress, total, now = () => performance.now() } = options
  const all = new Level(total, now())
  const addresses = new Map<string, Level>()

  function levelOf(address: string): Level {
    const known = addresses.get(address)
    if (known) return known
    if (addresses.size >= MAX_ADDRESSES) forgetIdle()
    const level = new Level(perAddress, now())
    addresses.set(address, level)
    return level
  }

  /** If too many addresses remain, all are forgotten, and only the limit of all addresses together applies. */
  function forgetIdle(): void {
    const time = now()
    for (const [address, level] of addresses) if (level.bytesAt(time) === 0) addresses.delete(address)
    if (addresses.size >= MAX_ADDRESSES) addresses.clear()
  }

  /** How long a response to this address has to wait. */
  const waitMs = (address: string) => Math.max(all.waitMs(now()), addresses.get(address)?.waitMs(now()) ?? 0)

  /**
   * Call this when a response begins, and call the returned function with the size of the response when it has ended.
   */
  function count(address: string): (bytes: number) => void {
    const level = levelOf(address)
    const add = (bytes: number) => {
      level.add(bytes, now())
      all.add(bytes, now())
    }
    add(EXPECTED_BYTES)
    return (bytes) => add(bytes - EXPECTED_BYTES)
  }

  /** Begins a response as soon as its address has had the time to read earlier ones. */
  function run(
    address: string,
    exchange: Pick<Exchange, 'request' | 'response' | 'connection'>,
    begin: () => void,
  ): void {
    const { request, response, connection } = exchange
    if (connection.over.aborted) return
    const pauseMs = waitMs(address)
    if (pauseMs > 0) return void setTimeout(() => run(address, exchange, begin), pauseMs).unref()
    const { socket } = request
    const before = socket.bytesWritten
    const end = count(address)
    // Bytes on a caller's connection do not count.
    response.once('close', () => end(connection.isCaller ? 0 : socket.bytesWritten - before))
    begin()
  }

  return { waitMs, count, run }
}
