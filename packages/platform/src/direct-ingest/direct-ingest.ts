import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { ServedRequest } from '@storey/contract'
import { DirectConnection } from './direct-connection.ts'
import { createDirectService, type DirectServiceParts } from './direct-service.ts'

/** The reports to the gateway. */
export interface DirectReports {
  ended(connection: number): Promise<void>
  returned(connection: number, socket: Socket, read: Buffer): Promise<void>
  /** Also called without requests, while connections are open. */
  served(requests: ServedRequest[]): Promise<void>
}

export interface DirectIngest {
  /** Takes a connection, of which nothing was read, and serves plain ingest requests for this host on it. */
  accept(connection: number, socket: Socket, host: string, reports: DirectReports): void
  /** Returns all connections, each after the request in progress. */
  returnAll(): void
  /** Returns all connections, and those that come later immediately. Resolves when the gateway has them. */
  close(): Promise<void>
}

/** How often requests are reported, and connections are checked. */
const REPORT_MS = 250
/** An idle connection goes back, so that the stack may sleep. So does one whose request stops arriving. */
const IDLE_MS = 2_000

/** The connections of busy clients, which the gateway transfers so that ingest requests take the shortest way. */
export function createDirectIngest(parts: DirectServiceParts, idleMs = IDLE_MS): DirectIngest {
  const service = createDirectService(parts)
  const open = new Set<DirectConnection>()
  const sending = new Set<Promise<void>>()
  let waiting: ServedRequest[] = []
  let reporting: NodeJS.Timeout | undefined
  let isClosing = false

  function send(sent: Promise<void>): void {
    sending.add(sent)
    void sent.finally(() => sending.delete(sent))
  }

  function report(reports: DirectReports): void {
    const requests = waiting
    waiting = []
    send(reports.served(requests))
  }

  /** The requests of a connection are reported before its end. */
  function remove(direct: DirectConnection, reports: DirectReports): boolean {
    if (!open.delete(direct)) return false
    report(reports)
    if (open.size === 0) {
      clearInterval(reporting)
      reporting = undefined
    }
    return true
  }

  function returnAll(): void {
    for (const direct of open) direct.finish()
  }

  return {
    accept(connection, received, host, reports) {
      const direct = new DirectConnection(received, {
        host,
        service,
        served: (request) => waiting.push({ connection, ...request }),
        giveBack(socket, read) {
          if (remove(direct, reports)) send(reports.returned(connection, socket, read))
        },
      })
      direct.socket.once('close', () => {
        if (remove(direct, reports)) send(reports.ended(connection))
      })
      open.add(direct)
      reporting ??= setInterval(() => {
        for (const one of open) one.check(idleMs)
        if (open.size > 0) report(reports)
      }, REPORT_MS)
      if (isClosing) direct.finish()
    },
    returnAll,
    async close() {
      isClosing = true
      returnAll()
      // Requests in progress are answered first.
      await Promise.all([...open].map(({ socket }) => once(socket, 'close')))
      await Promise.all(sending)
    },
  }
}
