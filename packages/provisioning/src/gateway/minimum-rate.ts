import { Problem } from '@storey/contract'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { findUnread, UNREAD_LIMITS, type UnreadLimits } from './find-unread.ts'
import type { Readings } from './readings.ts'

/** The minimum rate of a client that has to send or to read, measured over a window. */
export interface MinimumRate {
  windowMs: number
  bytesPerSecond: number
  /**
   * The window for an authenticated client that reads. On a slow line, or where the kernel does not report what the
   * client has read, a minute or more passes before the client can be seen to read.
   */
  callerReadsMs: number
  /**
   * How long a connection may be idle. A little more than Node's keep-alive and header timeouts, which Node restarts
   * with every empty line.
   */
  waitLimitMs: number
  /** How often connections are checked; each second when absent. */
  everyMs?: number
}

export const MINIMUM_RATE: MinimumRate = {
  windowMs: 15_000,
  bytesPerSecond: 1024,
  callerReadsMs: 120_000,
  waitLimitMs: 80_000,
}
const EVERY_MS = 1_000

interface Window {
  since: number
  bytes: number
}

export interface MinimumRateOptions {
  connections: Connections
  measure(): Promise<Readings>
  minimumRate?: MinimumRate | undefined
  unreadLimits?: UnreadLimits | undefined
  /** Called for each connection that is reset because its client leaves too much unread. */
  onUnread?(connection: Connection): void
}

/**
 * Closes connections of clients that stop in the middle of a body, do not read their response, or are idle for too
 * long. It measures the sockets, so it works for every handler behind them.
 */
export function enforceMinimumRate(options: MinimumRateOptions): { close(): void } {
  const { connections, measure, minimumRate = MINIMUM_RATE, unreadLimits = UNREAD_LIMITS } = options
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
    const { read, unread } = readings.of(connection)
    const isRead = readings.isComplete ? unread === 0 : socket.writableFinished
    if (connection.isLingering && isRead) return void socket.destroy()
    if (connection.waitedMs() > minimumRate.waitLimitMs) return void connection.finish()
    const readingMs = isCaller ? minimumRate.callerReadsMs : minimumRate.windowMs
    // A reset, because after a normal close the kernel would keep megabytes for a client that does not read.
    if (isSlow(reading, connection, unread === 0 ? undefined : read, readingMs)) return void socket.resetAndDestroy()
    if (!isSlow(sending, connection, sentBy(connection))) return
    if (connection.exchange?.response.headersSent) socket.resetAndDestroy()
    else connection.refuse(new Problem('REQUEST_TIMEOUT', 'The body did not arrive in time'))
  }

  let isChecking = false
  async function checkAll(): Promise<void> {
    if (isChecking) return
    isChecking = true
    const readings = await measure()
    isChecking = false
    for (const connection of connections.all()) check(connection, readings)
    for (const connection of findUnread(connections, readings, unreadLimits)) {
      connection.socket.resetAndDestroy()
      options.onUnread?.(connection)
    }
  }

  const timer = setInterval(() => void checkAll(), minimumRate.everyMs ?? EVERY_MS).unref()
  return { close: () => clearInterval(timer) }
}

/** The bytes that a client has sent; undefined when it has no body to send. */
function sentBy({ exchange, socket }: Connection): number | undefined {
  if (exchange === undefined || exchange.request.complete || exchange.awaitsContinue) return undefined
  // While received bytes are unread, the client waits for the service, and not the other way round.
  return exchange.request.readableLength > 0 ? undefined : socket.bytesRead
}
