import type { IncomingMessage } from 'node:http'
import { createTokenBucket, createTokenBuckets, type TokenBucketOptions } from '@storey/kit/token-bucket'
import type { Exchange } from './connection.ts'

/** How many bytes of responses may be sent: `burst` without a wait, and `perSecond` in the long run. */
export interface UnauthenticatedBytes {
  perAddress: TokenBucketOptions
  /** The limit for all addresses together. */
  total: TokenBucketOptions
  now?: () => number
}

const MB = 1024 * 1024

/** These limits are far above what browsers load without signing in. */
export const UNAUTHENTICATED_BYTES: UnauthenticatedBytes = {
  perAddress: { burst: 24 * MB, perSecond: 4 * MB },
  total: { burst: 128 * MB, perSecond: 32 * MB },
}

/** A response to an unauthenticated client counts with this size until its real size is known. */
const EXPECTED_BYTES = 128 * 1024

type Answered = Pick<Exchange, 'request' | 'response' | 'connection'>

/**
 * Limits the bytes of responses that need no credential, such as pages and API documents, so that clients that request
 * more than they can read do not keep the gateway busy. Responses that need a credential have rate limits of their own.
 */
export function limitUnauthenticatedBytes(
  isCaller: (request: IncomingMessage) => boolean,
  { perAddress, total, now }: UnauthenticatedBytes = UNAUTHENTICATED_BYTES,
) {
  const all = createTokenBucket(total, now)
  const addresses = createTokenBuckets(perAddress, now)
  const credentials = createTokenBuckets(perAddress, now)

  /** How long a response to this address has to wait. */
  const waitMs = (address: string) => Math.max(all.waitMs(), addresses.waitMs(address))

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

  /**
   * Calls `counted` with the bytes of a response, or with 0 if the response needed a credential and the request had a
   * valid one.
   */
  function whenSent({ request, response }: Answered, counted: (bytes: number) => void): void {
    const { socket } = request
    const before = socket.bytesWritten
    response.once('close', () => counted(isCaller(request) ? 0 : socket.bytesWritten - before))
  }

  /**
   * Begins a response to an unauthenticated client as soon as the limits of its address and of all addresses allow it.
   */
  function run(address: string, exchange: Answered, begin: () => void): void {
    whenAllowed(
      exchange,
      () => waitMs(address),
      () => {
        whenSent(exchange, count(address))
        begin()
      },
    )
  }

  /**
   * Begins a response to a known caller. Only responses that need no credential count. They count for the credential of
   * the request and not for its address, so that other callers at the same address do not wait.
   */
  function runForCaller(credential: string, exchange: Answered, begin: () => void): void {
    whenAllowed(
      exchange,
      () => credentials.waitMs(credential),
      () => {
        whenSent(exchange, (bytes) => bytes > 0 && credentials.of(credential).charge(bytes))
        begin()
      },
    )
  }

  return { waitMs, count, run, runForCaller }
}

/** Begins as soon as there is nothing to wait for, unless the connection has ended meanwhile. */
function whenAllowed(exchange: Pick<Answered, 'connection'>, waitMs: () => number, begin: () => void): void {
  if (exchange.connection.over.aborted) return
  const pauseMs = waitMs()
  if (pauseMs === 0) begin()
  else setTimeout(() => whenAllowed(exchange, waitMs, begin), pauseMs).unref()
}
