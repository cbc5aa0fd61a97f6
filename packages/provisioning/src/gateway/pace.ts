import { Problem } from '@storey/contract'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'

/** A client that is expected to send or to read does so at this rate at least, taken over so long. */
export interface Pace {
  windowMs: number
  bytesPerSecond: number
  /**
   * The same for a signed-in client that reads. The system has megabytes of an answer on their way and asks for more
   * when a good part of them has arrived: on a slow line, a minute and longer after it took the last.
   */
  callerReadsMs: number
  /**
   * How long a connection may be without a request. A little more than the time to wait and that for a head: Node counts
   * those anew with every empty line.
   */
  waitLimitMs: number
  /** How often it is looked at; each second when absent. */
  everyMs?: number
}

export const PACE: Pace = { windowMs: 15_000, bytesPerSecond: 1024, callerReadsMs: 120_000, waitLimitMs: 80_000 }
const EVERY_MS = 1_000

interface Window {
  since: number
  bytes: number
}

/**
 * Ends the connections of those who stop in the middle of a body, or do not read what they asked for. It looks at the
 * sockets themselves, so that it holds for whoever answers behind them.
 */
export function watchPace(connections: Connections, pace: Pace = PACE): { close(): void } {
  const sending = new WeakMap<Connection, Window>()
  const reading = new WeakMap<Connection, Window>()

  /** Whether it was slow for a whole window. */
  function isSlow(
    windows: WeakMap<Connection, Window>,
    connection: Connection,
    bytes: number | undefined,
    windowMs = pace.windowMs,
  ): boolean {
    const now = performance.now()
    const window = windows.get(connection)
    if (bytes === undefined) return !windows.delete(connection) && false
    if (window && now - window.since < windowMs) return false
    windows.set(connection, { since: now, bytes })
    return window !== undefined && bytes - window.bytes < ((now - window.since) / 1000) * pace.bytesPerSecond
  }

  function look(connection: Connection): void {
    const { socket, isCaller } = connection
    if (connection.waitedMs() > pace.waitLimitMs) return void socket.destroy()
    const readingMs = isCaller ? pace.callerReadsMs : pace.windowMs
    if (isSlow(reading, connection, takenBy(connection), readingMs)) return void socket.destroy()
    if (!isSlow(sending, connection, sentBy(connection))) return
    if (connection.turn?.response.headersSent) socket.destroy()
    else connection.refuse(new Problem('REQUEST_TIMEOUT', 'The body did not arrive in time'))
  }

  const timer = setInterval(() => {
    for (const connection of connections.all()) look(connection)
  }, pace.everyMs ?? EVERY_MS).unref()
  return { close: () => clearInterval(timer) }
}

/** What a client has sent, where the rest of a body is its to send. */
function sentBy({ turn, socket }: Connection): number | undefined {
  if (turn === undefined || turn.request.complete || turn.awaitsContinue) return undefined
  // What was not read yet waits for us.
  return turn.request.readableLength > 0 ? undefined : socket.bytesRead
}

interface Handle {
  bytesWritten: number
  writeQueueSize: number
}

/** What a client has taken, where more waits for it. */
function takenBy({ socket }: Connection): number | undefined {
  if (socket.writableLength === 0) return undefined
  // One large write counts as it goes, not when it is through: only the handle knows.
  const { _handle: handle } = socket as unknown as { _handle: Handle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
