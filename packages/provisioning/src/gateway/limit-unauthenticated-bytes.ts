import { createTokenBucket, createTokenBuckets, type TokenBucketOptions } from '@storey/kit/token-bucket'
import type { Exchange } from './connection.ts'

/** How many bytes of responses may be sent: `burst` at once, and `perSecond` in the long run. */
export interface UnauthenticatedBytes {
  perAddress: TokenBucketOptions
  /** All addresses together. */
  total: TokenBucketOptions
  now?: () => number
}

const MB = 1024 * 1024

/** Far more than browsers load without signing in. */
export const UNAUTHENTICATED_BYTES: UnauthenticatedBytes = {
  perAddress: { burst: 24 * MB, perSecond: 4 * MB },
  total: { burst: 128 * MB, perSecond: 32 * MB },
}

/** A response counts with this size until its real size is known. */
const EXPECTED_BYTES = 128 * 1024

/**
 * Limits the bytes of responses to unauthenticated clients, so that clients that ask for more than they can read do not
 * keep the gateway busy.
 */
export function limitUnauthenticatedBytes({ perAddress, total, now }: UnauthenticatedBytes = UNAUTHENTICATED_BYTES) {
  const all = createTokenBucket(total, now)
  const addresses = createTokenBuckets(perAddress, now)

  /** How long a response to this address has to wait. */
  const waitMs = (address: string) => Math.max(all.waitMs(), addresses.of(address).waitMs())

  /**
   * Call this when a response begins, and call the returned function with the size of the response when it has ended.
   */
  function count(address: string): (bytes: number) => void {
    const bucket = addresses.of(address)
    const charge = (bytes: number) => {
      bucket.charge(bytes)
      all.charge(bytes)
    }
    charge(EXPECTED_BYTES)
    return (bytes) => charge(bytes - EXPECTED_BYTES)
  }

  /** Begins a response as soon as the limits allow it. */
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
