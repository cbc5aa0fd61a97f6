import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { DIRECT_BODY_BYTES, type ServedRequest } from '@storey/contract'
import { addressGroup } from '@storey/kit/client-address'
import { elapsedMs } from '@storey/kit/clock'
import { type HttpObserver, reportObserved } from '@storey/kit/http'
import { unreadOf } from '@storey/kit/unread'
import type { SandboxRow } from '../features/sandboxes/index.ts'
import { createLentConnections, type ReturnedConnection, type RunningStack, type StackPool } from '../stacks/index.ts'
import type { Callers } from './callers.ts'
import { type FollowedMessages, followMessages } from './client-socket.ts'
import type { Connection, Exchange } from './connection.ts'
import type { Connections } from './connections.ts'
import { readServed } from './observe-gateway.ts'

export interface DirectIngestOptions {
  server: Server
  connections: Connections
  stacks: Pick<StackPool, 'use' | 'stopUnresponsive'>
  callers: Callers
  observers: readonly HttpObserver[]
  clientAddress(request: IncomingMessage): string
  /** How long a stack may be silent while it serves connections. */
  silenceLimitMs: number
}

/** A client is busy after this many requests in a row, each within `PAUSE_MS` after the one before. */
const REQUESTS = 16
const PAUSE_MS = 1_000
/** A connection with more unread bytes than this is not transferred. */
const SMALL_BYTES = 64 * 1024

const TARGET = /^\/api\/v1\/buildings\/[\da-f-]{36}\/telemetry\/(?:observations|influx\/(?:api\/v2\/)?write)(?:\?|$)/

/** The ingest requests in a row on one connection. */
interface Streak {
  sandboxId: string
  host: string
  count: number
  lastAt: number
  /** Counts the messages that begin after the first request. */
  messages: FollowedMessages
}

/**
 * Transfers the connections of busy ingest clients to their stacks. A request then takes half the CPU time, because the
 * gateway does not forward it. When anything but a plain ingest request comes on a connection, the stack returns the
 * connection with the bytes of that request. The gateway then reads these bytes as if the client had just connected.
 */
export function createDirectIngest(options: DirectIngestOptions) {
  const { server, connections, stacks, callers, observers } = options
  const streaks = new WeakMap<Connection, Streak>()
  /** The first host of each connection; null if requests for other hosts followed, as on connections of proxies. */
  const hosts = new WeakMap<Connection, string | null>()
  /**
   * How many requests in a row a connection needs for a transfer. The number doubles each time a stack returns the
   * connection because of a request that it does not serve.
   */
  const needed = new WeakMap<Socket, number>()
  const lent = createLentConnections(options)
  let isClosed = false

  async function transfer({ connection, request }: Exchange, sandbox: SandboxRow, host: string): Promise<void> {
    const { socket } = connection
    const clientAddress = options.clientAddress(request)
    // Whatever the client sends from now on is read by the stack.
    socket.pause()
    // The stack limits only its own unread responses. A client with other unread responses is not transferred.
    if (socket.bytesWritten > SMALL_BYTES && (await unreadOf(socket)) > SMALL_BYTES) {
      streaks.delete(connection)
      return void socket.resume()
    }
    let servedAt = elapsedMs()
    const { stack, release } = await stacks.use(sandbox, {
      lastCallAt: () => servedAt,
      client: addressGroup(clientAddress),
    })
    try {
      const isUnused = !connection.over.aborted && !connection.isBusy && !isClosed
      if (!isUnused || !stack.directIngest || stack.directIngest.isClosed() || !lent.hasCapacity(stack))
        return void socket.resume()
      connection.link.drop()
      const takeOut = connections.lend(connection)
      const end = lent.lend(stack, sandbox.id)
      const returned = await stack.directIngest.transfer(socket, host, {
        served: (served) => {
          servedAt = elapsedMs()
          report(served, { request, clientAddress, sandboxId: sandbox.id })
        },
        onReport: () => lent.noteReport(stack),
      })
      takeOut()
      end()
      if (returned) takeBack(returned, needed.get(socket) ?? REQUESTS)
    } finally {
      release()
    }
  }

  function takeBack({ socket, read }: ReturnedConnection, requests: number): void {
    needed.set(socket, read.length > 0 ? requests * 2 : requests)
    callers.keep(socket)
    // Node sets this option for the connections that an HTTP server accepts.
    socket.allowHalfOpen = true
    socket.unshift(read)
    server.emit('connection', socket)
    const connection = connections.of(socket)
    if (read.length === 0) connection?.waitForNext()
    if (isClosed && read.length === 0) connection?.endAfterAnswers()
  }

  function report(
    served: ServedRequest,
    { request, ...known }: { request: IncomingMessage; clientAddress: string; sandboxId: string },
  ): void {
    const { method, socket } = request
    const read = readServed(served)
    if (read) reportObserved(observers, { request: { method, headers: {}, socket }, part: 'stack', ...known, ...read })
  }

  return {
    /** Call this when a request has come on a connection. */
    received({ connection, request }: Exchange): void {
      const { host = '' } = request.headers
      const first = hosts.get(connection)
      if (first === undefined) hosts.set(connection, host)
      else if (first !== host) hosts.set(connection, null)
    },
    /** Call this when a stack has answered the request and the response is being sent. */
    answered(exchange: Exchange, sandbox: SandboxRow, stack: RunningStack): void {
      const { connection, request, response } = exchange
      const { host = '' } = request.headers
      const isOwn = hosts.get(connection) === host && !connections.isProxy(connection)
      const isPlain = isOwn && stack.directIngest && isPlainIngest(exchange)
      const now = performance.now()
      const streak = isPlain ? streaks.get(connection) : undefined
      const isNext = streak?.sandboxId === sandbox.id && streak.host === host && now - streak.lastAt < PAUSE_MS
      if (!isPlain || isClosed) return void streaks.delete(connection)
      if (!streak || !isNext) {
        const messages = followMessages(connection.socket)
        return void streaks.set(connection, { sandboxId: sandbox.id, host, count: 1, lastAt: now, messages })
      }
      streak.count++
      streak.lastAt = now
      if (streak.count < (needed.get(connection.socket) ?? REQUESTS)) return
      const { count, messages } = streak
      response.once('close', () => {
        // The connection can be transferred only if the parser has no bytes of another request.
        const isUnused =
          !connection.over.aborted && !connection.isBusy && request.complete && messages.begun() === count - 1
        if (!isUnused || isClosed || !lent.hasCapacity(stack)) return
        transfer(exchange, sandbox, host).catch(() => connection.socket.resume())
      })
    },
    /** Transfers no more connections. */
    close(): void {
      isClosed = true
      lent.close()
    },
  }
}

/**
 * A request with one of these headers is not plain. Proxies send the headers in the first line, and their connections
 * carry requests of many clients and for many hosts. If a stack received a header in the second line, it would return
 * the connection.
 */
const UNUSUAL_HEADERS = [
  ...['via', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
  ...['content-encoding', 'expect', 'origin'],
]

function isPlainIngest({ request, response, isSignedIn }: Exchange): boolean {
  const { method, httpVersion, url = '', headers } = request
  const isServed = isSignedIn === true && (response.statusCode === 202 || response.statusCode === 204)
  if (!isServed || method !== 'POST' || httpVersion !== '1.1' || !TARGET.test(url)) return false
  if (UNUSUAL_HEADERS.some((name) => headers[name] !== undefined)) return false
  return Number(headers['content-length'] ?? DIRECT_BODY_BYTES + 1) <= DIRECT_BODY_BYTES
}
