import type { Socket } from 'node:net'
import type { ServedRequest, StackCommand, StoredMessages } from '@storey/contract'
import { DirectConnection } from './direct-connection.ts'
import { createDirectService, type DirectServiceParts } from './direct-service.ts'
import { MessageConnection } from './message-connection.ts'
import { createMessageService, type MessageServiceParts } from './message-service.ts'
import { MAX_READ_BYTES } from './with-read-buffer.ts'

/** The reports to the control plane. */
export interface DirectReports {
  ended(connection: number): Promise<void>
  /** Returns a connection with the bytes that were read and not served. `socket` is absent if the connection ended. */
  returned(connection: number, socket: Socket | undefined, read: Buffer, silentMs: number): Promise<void>
  /** Called every REPORT_MS while connections are open, even with two empty lists, and before each end or return. */
  served(requests: ServedRequest[], messages: StoredMessages[]): Promise<void>
}

export interface DirectIngest {
  /**
   * Takes a connection from which nothing was read, and serves plain ingest requests (`read-plain-head.ts`) for this
   * host on it.
   */
  accept(connection: number, socket: Socket, host: string, reports: DirectReports): void
  /** Takes the connection of an MQTT client, and stores the plain messages (`read-plain-publish.ts`) for one topic. */
  acceptPublisher(publisher: Publisher, socket: Socket, reports: DirectReports): void
  /**
   * Returns this connection, or all connections if none is given. A connection is returned after its request or message
   * in progress.
   */
  returnConnection(connection?: number): void
  /**
   * Returns all connections. A connection that is transferred later is returned immediately. Resolves when the control
   * plane has the connections.
   */
  close(): Promise<void>
}

export type Publisher = Omit<Extract<StackCommand, { type: 'publish' }>, 'type' | 'read'> & { read: Buffer }

export type DirectIngestParts = DirectServiceParts & MessageServiceParts

/** A `DirectConnection` or a `MessageConnection`. */
interface ServedConnection {
  finish(): void
  check(idleMs: number): void
}

/** How often requests and messages are reported, and connections are checked. */
const REPORT_MS = 250
/**
 * If a client takes longer than this to begin a request or a message, or to send the rest of one, its connection is
 * returned to the control plane, so that the stack can sleep.
 */
const IDLE_MS = 2_000

/**
 * Serves the connections of busy clients. The control plane transfers these connections, so that their observations do
 * not pass through the control plane.
 */
export function createDirectIngest(parts: DirectIngestParts, idleMs = IDLE_MS): DirectIngest {
  const service = createDirectService(parts)
  const store = createMessageService(parts)
  const open = new Map<number, ServedConnection>()
  const sending = new Set<Promise<void>>()
  let requests: ServedRequest[] = []
  const stored = new Map<number, number>()
  let reporting: NodeJS.Timeout | undefined
  let isClosing = false
  let onEmpty: () => void = () => undefined

  function send(sent: Promise<void>): void {
    sending.add(sent)
    void sent.finally(() => sending.delete(sent))
  }

  function report(reports: DirectReports): void {
    const messages = Array.from(stored, ([connection, count]) => ({ connection, count }))
    send(reports.served(requests, messages))
    requests = []
    stored.clear()
  }

  function add(connection: number, served: ServedConnection, reports: DirectReports): void {
    open.set(connection, served)
    reporting ??= setInterval(() => {
      for (const one of open.values()) one.check(idleMs)
      if (open.size > 0) report(reports)
    }, REPORT_MS)
    if (isClosing) served.finish()
  }

  /** What was served on a connection is reported before its end. */
  function remove(connection: number, reports: DirectReports, end: () => Promise<void>): void {
    if (!open.delete(connection)) return
    report(reports)
    send(end())
    if (open.size > 0) return
    clearInterval(reporting)
    reporting = undefined
    onEmpty()
  }

  function returnConnection(connection?: number): void {
    if (connection !== undefined) open.get(connection)?.finish()
    else for (const served of open.values()) served.finish()
  }

  return {
    accept(connection, received, host, reports) {
      const direct = new DirectConnection(received, {
        host,
        service,
        served: (request) => requests.push({ connection, ...request }),
        returnConnection: (socket, read) =>
          remove(connection, reports, () => reports.returned(connection, socket, read, 0)),
      })
      direct.socket.once('close', () => remove(connection, reports, () => reports.ended(connection)))
      add(connection, direct, reports)
    },
    acceptPublisher({ connection, topic, buildingId, read }, received, reports) {
      // The control plane has read `read` from the connection. The buffer of the connection here must have room for these
      // bytes and for those that this process reads next, so a connection with more bytes is returned.
      if (read.length > MAX_READ_BYTES) return send(reports.returned(connection, received, read, 0))
      const publisher = new MessageConnection(received, {
        ...{ topic, buildingId, read, store },
        stored: () => stored.set(connection, (stored.get(connection) ?? 0) + 1),
        returnConnection: (socket, rest, silentMs) =>
          remove(connection, reports, () => reports.returned(connection, socket, rest, silentMs)),
      })
      add(connection, publisher, reports)
      publisher.start()
    },
    returnConnection,
    async close() {
      isClosing = true
      const { promise, resolve } = Promise.withResolvers<void>()
      onEmpty = resolve
      returnConnection()
      // Requests and messages in progress are answered first.
      if (open.size > 0) await promise
      await Promise.all(sending)
    },
  }
}
