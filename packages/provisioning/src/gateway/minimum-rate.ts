import type { Socket } from 'node:net'
import { Problem } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Log } from '@storey/kit/log'
import { createReadings, type Readings } from '@storey/kit/unread'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { findUnread, UNREAD_LIMITS, type UnreadLimits } from './find-unread.ts'

/** The minimum rate of a client that has to send or to read, measured over a window. */
export interface MinimumRate {
  windowMs: number
  bytesPerSecond: number
  /**
   * The window for a client that has to read, if it is a caller or the kernel has all bytes that were written. On a
   * slow line, a minute or more passes before the gateway can see that the client reads.
   */
  slowReadsMs: number
  /**
   * How long a connection may be idle. The limit is a little longer than Node's keep-alive timeout and header timeout
   * together. It is needed because Node restarts both timeouts with every empty line.
   */
  waitLimitMs: number
  /** How often connections are checked; each second when absent. */
  everyMs?: number
}

export const MINIMUM_RATE: MinimumRate = {
  windowMs: 15_000,
  bytesPerSecond: 1024,
  slowReadsMs: 120_000,
  waitLimitMs: 80_000,
}
const EVERY_MS = 1_000

interface Window {
  since: number
  bytes: number
}

export interface MinimumRateOptions {
  connections: Connections
  log: Log
  minimumRate?: MinimumRate | undefined
  unreadLimits?: UnreadLimits | undefined
  /** Called for each connection that is reset because its client leaves too much unread. */
  onUnread?(socket: Socket): void
}

/**
 * Closes connections of clients that stop in the middle of a body, do not read their response, or are idle for too
 * long. It measures the sockets, so it works for every handler behind them.
 */
export function enforceMinimumRate(options: MinimumRateOptions): { close(): void } {
  const { connections, minimumRate = MINIMUM_RATE, unreadLimits = UNREAD_LIMITS } = options
  const measure = createReadings(() => connections.sockets())
  const sending = new WeakMap<Connection, Window>()
  const reading = new WeakMap<Connection, Window>()

  /** Whether the connection was too slow for a whole window. */
  function isSlow(
    windows: WeakMap<Connection, Window>,
    connection: Connection,
    bytes: number | undefined,
    windowMs = minimumRate.windowMs,
  ): boolean {
    const now = performance.now()
    const window = windows.get(connection)
    if (bytes === undefined) return !windows.delete(connection) && false
    if (window && now - window.since < windowMs) return false
    windows.set(connection, { since: now, bytes })
    return window !== undefined && bytes - window.bytes < ((now - window.since) / 1000) * minimumRate.bytesPerSecond
  }

  function check(connection: Connection, readings: Readings): void {
    const { socket, isCaller } = connection
    const { read, unread } = readings.of(socket)
    const isRead = readings.isComplete ? unread === 0 : socket.writableFinished
    if (connection.isLingering && isRead) return void socket.destroy()
    if (!connection.isEnding && connection.waitedMs() > minimumRate.waitLimitMs) return void connection.finish()
    // The receive window of a slow client opens in large steps, so the kernel's queue can stay unchanged for a minute.
    const isInKernel = socket.writableLength === 0
    const readingMs = isCaller || isInKernel ? minimumRate.slowReadsMs : minimumRate.windowMs
    // The connection is reset, because after a normal close the kernel would keep megabytes for a client that does not
    // read.
    if (isSlow(reading, connection, unread === 0 ? undefined : read, readingMs)) return void socket.resetAndDestroy()
    if (!isSlow(sending, connection, sentBy(connection))) return
    if (connection.exchange?.response.headersSent) socket.resetAndDestroy()
    else connection.refuse(new Problem('REQUEST_TIMEOUT', 'The body did not arrive in time'))
  }

  async function checkAll(): Promise<void> {
    const readings = await measure()
    for (const connection of connections.all()) check(connection, readings)
    for (const socket of findUnread(connections, readings, unreadLimits)) {
      socket.resetAndDestroy()
      options.onUnread?.(socket)
    }
  }

  const everyMs = minimumRate.everyMs ?? EVERY_MS
  const checking = createLoop({ name: 'connection-check', log: options.log, run: checkAll, everyMs })
  checking.start(everyMs)
  return { close: () => void checking.stop() }
}

/** The bytes that a client has sent; undefined while the gateway does not wait for bytes from it. */
function sentBy({ exchange, socket }: Connection): number | undefined {
  if (exchange === undefined || exchange.request.complete || exchange.awaitsContinue) return undefined
  // While the service has not taken all received bytes, the client waits for the service, and not the other way round.
  return exchange.request.readableLength > 0 ? undefined : socket.bytesRead
}
