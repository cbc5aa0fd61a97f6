import { Connection, type Kept, type OutboundAnswer, type Peer } from './connection.ts'
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
 * Connections to receivers. Idle ones are pooled by address, port and, for https, the name in the certificate, so that a
 * request only uses a connection to the address that was checked for it.
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

/** A receiver closes an idle connection when the time it has named is over. The next request must arrive before. */
const MARGIN_MS = 1_000
const MAX_SESSIONS = 100

export function createConnections(idleMs: number): Connections {
  const all = new Set<Connection>()
  const idle = new Map<string, Idle[]>()
  const sessions = new Map<string, Buffer>()
  let cleaning: NodeJS.Timeout | undefined

  function take(key: string): Connection | undefined {
    const own = idle.get(key)
    // The one that was used last is the least likely to be closed.
    for (let last = own?.pop(); last !== undefined; last = own?.pop()) {
      if (last.until > performance.now()) return last.connection
      last.connection.close()
    }
    return undefined
  }

  function keep(key: string, connection: Connection, { forMs }: Kept): void {
    const until = performance.now() + Math.min(idleMs, forMs - MARGIN_MS)
    const own = idle.get(key)
    if (own === undefined) idle.set(key, [{ connection, until }])
    else own.push({ connection, until })
    cleaning ??= setInterval(clean, idleMs).unref()
  }

  function clean(): void {
    const now = performance.now()
    for (const [key, own] of idle) {
      const left = own.filter(({ until }) => until > now)
      for (const { connection, until } of own) if (until <= now) connection.close()
      if (left.length > 0) idle.set(key, left)
      else idle.delete(key)
    }
    if (idle.size > 0) return
    clearInterval(cleaning)
    cleaning = undefined
  }

  function open(key: string, peer: Peer): Connection {
    const onKept = (own: Connection, kept: Kept) => keep(key, own, kept)
    const connection = new Connection({ ...peer, session: sessions.get(key) }, onKept, (closed, hadError) => {
      forget(key, closed)
      // The next connection begins without the session, in case the receiver does not accept it.
      if (hadError) sessions.delete(key)
    })
    all.add(connection)
    if (peer.isTls) connection.onSession((session) => remember(key, session))
    return connection
  }

  function forget(key: string, closed: Connection): void {
    all.delete(closed)
    const own = idle.get(key)
    const at = own?.findIndex(({ connection }) => connection === closed) ?? -1
    if (at >= 0) own!.splice(at, 1)
  }

  function remember(key: string, session: Buffer): void {
    sessions.delete(key)
    sessions.set(key, session)
    const [oldest] = sessions.keys()
    if (sessions.size > MAX_SESSIONS) sessions.delete(oldest!)
  }

  return {
    async send(target, address, { headers, body, maxBytes }, endsAt) {
      const isTls = target.protocol === 'https:'
      const servername = isTls && !target.isAddress ? target.hostname : ''
      const key = `${target.protocol}${address} ${target.port} ${servername}`
      const peer = { address, port: target.port, isTls, servername }
      const pieces = requestBytes(target, headers, body)
      const leftMs = () => endsAt - performance.now()
      const pooled = take(key)
      if (pooled === undefined) return open(key, peer).request(pieces, maxBytes, leftMs())
      try {
        return await pooled.request(pieces, maxBytes, leftMs())
      } catch (err) {
        if (!(err instanceof OutboundFailed && err.progress === 'stale_socket')) throw err
        return open(key, peer).request(pieces, maxBytes, leftMs())
      }
    },

    close() {
      clearInterval(cleaning)
      for (const connection of all) connection.close()
    },
  }
}
