import { Connection, type Kept, type OutboundAnswer, type Peer, type TlsSession } from './connection.ts'
import { OutboundFailed } from './errors.ts'
import { requestBytes } from './request-bytes.ts'
import type { Target } from './target.ts'

export interface OutboundRequest {
  method: 'POST'
  headers: Record<string, string>
  body: Buffer
  /** The time limit for everything: resolving, connecting, sending, and the whole response. */
  timeoutMs: number
  /** The maximum size of the response body; the rest is not read. */
  maxBytes: number
}

/**
 * Connections to receivers. Idle ones are pooled by address, port and, for https, the name in the certificate, so that
 * a request only uses a connection to the address that was checked for it.
 */
export interface Connections {
  /**
   * Sends a request to an address. If the receiver has closed a pooled connection, the request is sent again on a new
   * one, once.
   */
  send(target: Target, address: string, request: OutboundRequest, endsAt: number): Promise<OutboundAnswer>
  /** Closes all connections, including those in use. */
  close(): void
}

interface Idle {
  connection: Connection
  until: number
}

/** The idle connections to a receiver. */
interface Pool {
  idle: Idle[]
  /** Until this time no connection is pooled. */
  pausedUntil: number
}

/**
 * A connection is pooled for this much less than the time after which its receiver closes an idle connection, so that
 * the next request arrives before the receiver closes the connection.
 */
const MARGIN_MS = 1_000
/** The maximum number of idle connections to a receiver. */
const MAX_IDLE = 256
/**
 * After a receiver has closed a pooled connection that had few requests, its connections are not pooled for this time:
 * some receivers close each connection without announcing it, and would get nearly every request twice.
 */
const PAUSE_MS = 10_000
const FEW_REQUESTS = 10
const MAX_SESSIONS = 100
/** A TLS session may be resumed for this long after the verification of its certificate. */
const MAX_SESSION_MS = 10 * 60_000

type Send = (connection: Connection) => Promise<OutboundAnswer>

export function createConnections(idleMs: number): Connections {
  const all = new Set<Connection>()
  const pools = new Map<string, Pool>()
  const sessions = new Map<string, TlsSession>()
  let cleaning: NodeJS.Timeout | undefined
  let isClosed = false

  function poolOf(key: string): Pool {
    const pool = pools.get(key) ?? { idle: [], pausedUntil: 0 }
    pools.set(key, pool)
    cleaning ??= setInterval(clean, idleMs).unref()
    return pool
  }

  function take(key: string): Connection | undefined {
    const idle = pools.get(key)?.idle
    // The connection that was used last is the least likely to be closed.
    for (let last = idle?.pop(); last !== undefined; last = idle?.pop()) {
      if (last.until > performance.now() && last.connection.isOpen) return last.connection
      last.connection.close()
    }
    return undefined
  }

  function keep(key: string, connection: Connection, { forMs }: Kept): void {
    const { idle, pausedUntil } = poolOf(key)
    const now = performance.now()
    const until = now + Math.min(idleMs, forMs - MARGIN_MS)
    if (now < pausedUntil || until <= now || idle.length >= MAX_IDLE) connection.close()
    else idle.push({ connection, until })
  }

  function clean(): void {
    const now = performance.now()
    for (const [key, pool] of pools) {
      for (const { connection, until } of pool.idle) if (until <= now) connection.close()
      pool.idle = pool.idle.filter(({ until }) => until > now)
      if (pool.idle.length === 0 && pool.pausedUntil <= now) pools.delete(key)
    }
    if (pools.size > 0) return
    clearInterval(cleaning)
    cleaning = undefined
  }

  function open(key: string, peer: Peer): Connection {
    const onKept = (own: Connection, kept: Kept) => keep(key, own, kept)
    const connection = new Connection({ ...peer, session: sessionFor(key) }, onKept, (closed, wasReady) => {
      forget(key, closed)
      // The next connection begins without the session, in case the receiver does not accept the session.
      if (!wasReady) sessions.delete(key)
    })
    all.add(connection)
    if (peer.isTls) connection.onSession((session) => remember(key, session))
    return connection
  }

  function forget(key: string, closed: Connection): void {
    all.delete(closed)
    const idle = pools.get(key)?.idle
    const at = idle?.findIndex(({ connection }) => connection === closed) ?? -1
    if (at >= 0) idle!.splice(at, 1)
  }

  function sessionFor(key: string): TlsSession | undefined {
    const session = sessions.get(key)
    return session && performance.now() - session.verifiedAtMs < MAX_SESSION_MS ? session : undefined
  }

  function remember(key: string, session: TlsSession): void {
    sessions.delete(key)
    sessions.set(key, session)
    const [oldest] = sessions.keys()
    if (sessions.size > MAX_SESSIONS) sessions.delete(oldest!)
  }

  /** Sends a request again. The receiver had closed the pooled connection, and probably other idle ones too. */
  async function sendAgain(key: string, stale: Connection, sendOn: Send): Promise<OutboundAnswer> {
    const pool = poolOf(key)
    for (const { connection } of pool.idle.splice(0)) connection.close()
    if (stale.requests <= FEW_REQUESTS) pool.pausedUntil = performance.now() + PAUSE_MS
    try {
      return await sendOn(open(key, stale.peer))
    } catch (err) {
      // The receiver may have read the request, so `sent` tells the caller not to try another address of the same name.
      throw err instanceof OutboundFailed ? new OutboundFailed(err.code, 'sent') : err
    }
  }

  return {
    async send(target, address, { headers, body, maxBytes }, endsAt) {
      const isTls = target.protocol === 'https:'
      const servername = isTls && !target.isAddress ? target.hostname : ''
      const key = `${target.protocol}${address} ${target.port} ${servername}`
      const peer = { address, port: target.port, isTls, servername }
      const pieces = requestBytes(target, headers, body)
      const sendOn: Send = (connection) => connection.request(pieces, maxBytes, endsAt - performance.now())
      const pooled = take(key)
      if (pooled === undefined) return sendOn(open(key, peer))
      try {
        return await sendOn(pooled)
      } catch (err) {
        const isOver = isClosed || performance.now() >= endsAt
        if (isOver || !(err instanceof OutboundFailed && err.progress === 'stale_socket')) throw err
        return await sendAgain(key, pooled, sendOn)
      }
    },

    close() {
      isClosed = true
      clearInterval(cleaning)
      for (const connection of all) connection.close()
    },
  }
}
