import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIMITS, type LiveEvent, type LiveMeta } from '@storey/contract'
import { type Clock, systemClock } from '@storey/kit/clock'
import { silentLog } from '@storey/kit/log'
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
import { createBus } from '../../bus/bus.ts'
import { createAuthentication } from '../../http/authentication.ts'
import { createRevocations } from '../../http/revocations.ts'
import { ORGANIZATION_ID, SANDBOX_ID, sandboxToken, TOKEN_RULES } from '../../testing/tokens.ts'
import { LIVE_LIMITS, type LiveLimits } from '../limits.ts'
import { attachLive } from '../live.ts'
import { createOrigins } from '../origins.ts'
import { createSignIn } from '../sign-in.ts'

export interface ReceivedEvent {
  name: LiveEvent
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an event as a client does, without a schema.
  fields: any
  meta: LiveMeta
}

type ClientOptions = Partial<ManagerOptions & SocketOptions>

/** A client of a namespace of Socket.IO. It always opens a new connection and does not reconnect. */
export function liveClient(url: string, options: ClientOptions = {}, namespace = '/buildings'): Socket {
  return io(url + namespace, { forceNew: true, reconnection: false, transports: ['websocket'], ...options })
}

/** Resolves with the socket, or rejects with the refusal. */
export async function connected(socket: Socket): Promise<Socket> {
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  return socket
}

/** Collects everything the socket receives from here on. */
export function receivedBy(socket: Socket): ReceivedEvent[] {
  const received: ReceivedEvent[] = []
  socket.onAny((name, fields, meta) => received.push({ name, fields, meta }))
  return received
}

/** The live channel on a bare server, without a database. */
export async function startTestLive(
  options: {
    limits?: Partial<LiveLimits>
    clock?: Clock
    apiUrl?: string
    corsOrigins?: string[]
    sandboxesIssuer?: string
    /** Reads the revision of the building. Without this function the revision is 7. */
    readRevision?(): Promise<number>
  } = {},
) {
  const { clock = systemClock, apiUrl = 'http://test.localhost:4000', corsOrigins = [] } = options
  const buildingId = randomUUID()
  const bus = createBus(silentLog)
  const revocations = createRevocations()
  const trust = {
    sandboxToken: { ...TOKEN_RULES, audience: SANDBOX_ID },
    sandboxesIssuer: options.sandboxesIssuer ?? null,
  }
  const server = createServer((_request, response) => response.writeHead(404).end('not live'))
  const live = attachLive(server, {
    ...{ bus, clock, revocations, log: silentLog },
    limits: { ...LIVE_LIMITS, ...options.limits },
    origins: createOrigins(apiUrl, corsOrigins),
    signIn: createSignIn(await createAuthentication(trust, clock, revocations), ORGANIZATION_ID),
    findRevision: async (id) => (id === buildingId ? await (options.readRevision?.() ?? 7) : undefined),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const token = await sandboxToken()
  const clients: Socket[] = []
  return {
    url,
    token,
    bus,
    revocations,
    buildingId,
    /** Connects a client that has a valid token. */
    async connect(changes: ClientOptions = {}): Promise<Socket> {
      const socket = liveClient(url, { auth: { token }, ...changes })
      clients.push(socket)
      return connected(socket)
    },
    /** Publishes one observation for each point, split into events as ingest splits them. */
    observe(points: readonly string[], value: string, timestamp = clock.now().toISOString()): void {
      for (let from = 0; from < points.length; from += LIMITS.observation.perEvent) {
        const observations = points
          .slice(from, from + LIMITS.observation.perEvent)
          .map((pointId) => ({ pointId, elementId: 'e', value, timestamp, source: null }))
        bus.publish(buildingId, 'building.point.updated', () => ({ buildingId, observations }))
      }
    },
    live,
    server,
    async close(): Promise<void> {
      for (const client of clients) client.disconnect()
      await live.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

export type TestLive = Awaited<ReturnType<typeof startTestLive>>
