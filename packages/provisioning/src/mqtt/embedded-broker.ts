import { randomUUID } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLoop } from '@storey/kit/background'
import { addressGroup, type ClientAddresses, canonicalAddress, limitNewConnections } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { createUnreadLimit } from '@storey/kit/unread'
import { Aedes, type AuthenticateError, type Client, type PublishPacket, type Subscription } from 'aedes'
import { findVisible, type SandboxRow } from '../features/sandboxes/index.ts'
import type { SandboxCache } from '../gateway/index.ts'
import { createBackOff } from './back-off.ts'
import { CONNECTION_LIMITS, createConnections, type UnauthenticatedClient } from './connections.ts'
import type { Credentials } from './credentials.ts'
import type { DirectPublishers } from './direct-publishers.ts'
import { createMessageHandler, NOT_STORED, READ_LIMIT_MS } from './message-handler.ts'
import { hasNul, ProtocolError } from './protocol-checks.ts'
import { readProxied } from './proxied.ts'
import type { Message, Receive } from './receive.ts'
import { createSessions, MAX_FILTERS } from './sessions.ts'
import { ThrottledSocket } from './throttled-socket.ts'
import { maySubscribe } from './topics.ts'

export interface EmbeddedBrokerOptions {
  control: Database
  clock: Clock
  sandboxCache: Pick<SandboxCache, 'find'>
  credentials: Credentials
  receive: Receive
  direct: DirectPublishers
  log: Log
  clientAddresses: ClientAddresses
  /** Called when a client with an id of its own has connected. Absent if there are no other control planes. */
  onClient?: ((clientId: string) => void) | undefined
}

interface Arrival {
  pending: UnauthenticatedClient
  isProxy: boolean
  /** The client's keep-alive time; 0: none. */
  keepAliveMs: number
  /** False if the client sent no id, so that the broker generated one. */
  hasClientId: boolean
}

const DRAIN_LIMIT_MS = 4_000
const SWEEP_EVERY_MS = 1_000
const PROXY_LIMIT_MS = 5_000
/** After this time a client counts as announced to the other control planes, because its announcement can be lost. */
const ANNOUNCED_MS = 5_000
/** The broker's own time limit for CONNECT. It is never reached, because ThrottledSocket has shorter limits. */
const CONNECT_LIMIT_MS = 30_000

/**
 * The rate of new connections from one client address, after a burst of `unauthenticatedOfAddress` connections. At this
 * rate a thousand devices reconnect in four seconds.
 */
const NEW_CONNECTIONS_PER_SECOND = 250

const HANDLED_TOPIC = '$SYS/handled'
const NOTHING = Buffer.alloc(0)

const BAD_CREDENTIALS = 4
const UNAVAILABLE = 3
const NOT_AUTHORIZED = 5

/** A client that sends no packet for this many times its keep-alive time is disconnected (MQTT 3.1.1, 3.1.2.10). */
const KEEP_ALIVE_TOLERANCE = 1.5

/**
 * A broker without storage: a message is acknowledged only after its sandbox's stack has stored it, or after it was
 * refused, ignored or kept as a dead letter. Messages of clients go to no subscriber: the only topic that clients can
 * read is the errors topic. Messages, except wills, do not pass through the broker library, because the library copies
 * them, which would take longer than all other work for a message.
 */
export async function createEmbeddedBroker(options: EmbeddedBrokerOptions) {
  const { control, clock, sandboxCache, credentials, receive, direct, log, clientAddresses, onClient } = options
  const backOff = createBackOff()
  const sessions = createSessions(clock)
  const { takePacket, takeWill } = createMessageHandler({ sessions, receive, direct, log })
  const connections = createConnections()
  const arrivals = new WeakMap<ThrottledSocket, Arrival>()
  const sockets = new Set<ThrottledSocket>()
  const tcpSockets = new Set<Socket>()
  const limitUnread = createUnreadLimit(() => tcpSockets)
  const sweep = createLoop({
    name: 'mqtt-unread',
    log,
    run: async () => {
      await limitUnread()
      return tcpSockets.size > 0 ? SWEEP_EVERY_MS : undefined
    },
  })
  /** Clients whose connection has perhaps not been announced to the other control planes yet. */
  const unannounced = new WeakSet<Client>()
  let closing = false

  const broker = await Aedes.createBroker({
    connectTimeout: CONNECT_LIMIT_MS,
    drainTimeout: READ_LIMIT_MS,
    // The limit exceeds MQTT's 23 characters, because `preConnect` prepends the sandbox id.
    maxClientsIdLength: 1_000,
    preConnect(client, packet, callback) {
      if (hasNul(packet.clientId, packet.username, packet.will?.topic))
        return callback(new ProtocolError('text contains U+0000'), false)
      // The sandbox id distinguishes equal client ids of two sandboxes. Sessions are not stored, so every client starts
      // clean.
      if (packet.clientId) arrivals.get(client.conn as ThrottledSocket)!.hasClientId = true
      packet.clientId = `${packet.username ?? ''}/${packet.clientId || randomUUID()}`
      packet.clean = true
      // The connection itself checks the keep-alive time, because the broker does not see all packets.
      arrivals.get(client.conn as ThrottledSocket)!.keepAliveMs = (packet.keepalive ?? 0) * 1000
      packet.keepalive = 0
      callback(null, !closing)
    },
    authenticate(client, username, password, done) {
      signIn(client, username, password)
        .catch((err) => {
          if (isUnavailable(err)) log.debug({ reason: err.message }, 'MQTT authentication waiting for the database')
          else log.error({ err }, 'MQTT authentication error')
          return UNAVAILABLE
        })
        .then((code) => (code === undefined ? done(null, true) : done(refusal(code), false)))
    },
    authorizePublish(client, packet, callback) {
      const session = client === null ? undefined : sessions.of(client)
      if (!session) return callback(new Error('not signed in'))
      takeWill(session, takePayload(packet)).then((isHandled) => callback(isHandled ? null : new Error(NOT_STORED)))
    },
    authorizeSubscribe(client, subscription, callback) {
      authorizeSubscription(client, subscription).then(
        (allowed) => callback(null, allowed ? subscription : null),
        (err) => callback(err),
      )
    },
  })
  const events: EventEmitter = broker
  events.on('error', (err) => log.error({ err }, 'MQTT broker error'))
  broker.on('clientError', (client: Client, err: Error) =>
    log.debug({ client: JSON.stringify(client.id), err }, 'MQTT client disconnected'),
  )
  broker.on('clientReady', (client: Client) => {
    const session = sessions.of(client)
    session?.start((packet) => takePacket(session, packet))
    if (session && onClient && arrivals.get(session.connection)?.hasClientId) {
      unannounced.add(client)
      setTimeout(() => unannounced.delete(client), ANNOUNCED_MS).unref()
      onClient(client.id)
    }
  })
  broker.on('unsubscribe', (filters: string[], client: Client) => {
    for (const filter of filters) sessions.of(client)?.filters.delete(filter)
  })

  /** The MQTT return code of a refusal; undefined when the client is accepted. */
  async function signIn(client: Client, username: string | undefined, password: Buffer | undefined) {
    const connection = client.conn as ThrottledSocket
    const { pending, isProxy, keepAliveMs } = arrivals.get(connection)!
    const row = await sandboxOf(username, password)
    if (!row) {
      if (!(await backOff.afterFailure(username ?? '', pending.group))) connection.destroy()
      return BAD_CREDENTIALS
    }
    if (row.suspendedAt !== null) return NOT_AUTHORIZED
    const sandbox = { sandboxId: row.id, slug: row.slug, organizationId: row.tenantId }
    if (connection.destroyed || !sessions.hasCapacity(row.id)) return UNAVAILABLE
    const leave = connections.signIn(pending, isProxy)
    if (!leave) return UNAVAILABLE
    connection.once('close', leave)
    if (keepAliveMs > 0) connection.limitSilence(keepAliveMs * KEEP_ALIVE_TOLERANCE)
    sessions.open(client, connection, sandbox)
    return undefined
  }

  async function sandboxOf(
    username: string | undefined,
    password: Buffer | undefined,
  ): Promise<SandboxRow | undefined> {
    if (username === undefined || password === undefined || !credentials.check(username, password)) return undefined
    return await findVisible(control, username)
  }

  async function authorizeSubscription(client: Client, { topic, qos }: Subscription): Promise<boolean> {
    const session = sessions.of(client)
    if (!session) return false
    const { organizationId, slug } = session.sandbox
    const { siteId = null, buildingId = null } = (await sandboxCache.find(slug)) ?? {}
    if (!maySubscribe(topic, { organizationId, siteId, buildingId })) return false
    if (session.filters.size >= MAX_FILTERS && !session.filters.has(topic)) return false
    session.filters.set(topic, qos)
    return true
  }

  // With `allowHalfOpen`, messages of a client that sends and immediately disconnects are still handled.
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    if (closing) return void socket.destroy()
    const address = canonicalAddress(socket.remoteAddress ?? '') ?? ''
    if (clientAddresses.isTrustedProxy(address)) void acceptProxied(socket, address)
    else accept(socket, address, false)
  })
  limitNewConnections(server, {
    burst: CONNECTION_LIMITS.unauthenticatedOfAddress,
    perSecond: NEW_CONNECTIONS_PER_SECOND,
    isExempt: clientAddresses.isTrustedProxy,
  })

  /** A trusted proxy may send a PROXY protocol header first. From any other peer such a header is invalid MQTT. */
  async function acceptProxied(socket: Socket, proxy: string): Promise<void> {
    const pending = { group: addressGroup(proxy), hasSentConnect: false, disconnect: () => socket.destroy() }
    connections.enter(pending)
    const limit = setTimeout(() => socket.destroy(), PROXY_LIMIT_MS).unref()
    socket.on('error', () => socket.destroy())
    const address = await readProxied(socket, proxy)
    clearTimeout(limit)
    connections.leave(pending)
    if (address === undefined || closing) return void socket.destroy()
    accept(socket, address, address === proxy)
  }

  function accept(socket: Socket, address: string, isProxy: boolean): void {
    const pending = { group: addressGroup(address), hasSentConnect: false, disconnect: () => connection.destroy() }
    // The broker gets a connection only after its CONNECT has arrived, so a client that never sends CONNECT costs the
    // broker nothing.
    const connection = new ThrottledSocket(socket, () => {
      pending.hasSentConnect = true
      broker.handle(connection)
    })
    connection.on('error', (err) => log.debug({ err: err.message, address }, 'MQTT connection closed'))
    arrivals.set(connection, { pending, isProxy, keepAliveMs: 0, hasClientId: false })
    connections.enter(pending)
    sockets.add(connection)
    watchUnread(socket)
    connection.once('close', () => {
      connections.leave(pending)
      sockets.delete(connection)
    })
    socket.resume()
  }

  function watchUnread(socket: Socket): void {
    tcpSockets.add(socket)
    socket.once('close', () => tcpSockets.delete(socket))
    sweep.wakeIn(SWEEP_EVERY_MS)
  }
  direct.onReturned(watchUnread)

  return {
    server,
    /**
     * Disconnects the clients of a sandbox that no longer exists or is suspended. If `slug` is undefined, disconnects
     * the clients of all such sandboxes.
     */
    async changed(slug: string | undefined): Promise<void> {
      for (const name of slug === undefined ? sessions.slugs() : [slug]) {
        const here = sessions.ofSlug(name)
        if (here.length === 0) continue
        const row = await sandboxCache.find(name)
        if (!row || row.suspendedAt !== null) for (const client of here) client.close()
      }
    },
    clientAnnounced(clientId: string): void {
      for (const client of sessions.withId(clientId)) unannounced.delete(client)
    },
    /**
     * Disconnects the client with this id, as MQTT requires when a client with the same id has connected to another
     * control plane. A client that is not announced yet stays connected: its announcement comes after that of the other
     * client, and makes the other control plane disconnect the other client.
     */
    clientMoved(clientId: string): void {
      for (const client of sessions.withId(clientId)) if (!unannounced.has(client)) client.close()
    },
    clients: () => sessions.count(),
    memory: () => sessions.memory(),
    /**
     * Closes all connections, after a short wait for messages in progress. Clients send again what was not
     * acknowledged.
     */
    async close(): Promise<void> {
      closing = true
      direct.close()
      await sweep.stop()
      const closed = new Promise<void>((resolve) => (server.listening ? server.close(() => resolve()) : resolve()))
      await Promise.race([sessions.idle(), sleep(DRAIN_LIMIT_MS, undefined, { ref: false })])
      await new Promise<void>((resolve) => broker.close(() => resolve()))
      // The broker does not know connections whose CONNECT has not arrived yet, and no longer knows those that have
      // sent DISCONNECT.
      for (const connection of sockets) connection.destroy(new Error('the service stops'))
      await closed
    },
  }
}

export type EmbeddedBroker = Awaited<ReturnType<typeof createEmbeddedBroker>>

/** Takes the payload out of the packet. The broker publishes the empty rest to a topic that nobody can read. */
function takePayload(packet: PublishPacket): Omit<Message, 'arrivedAt'> {
  const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload
  const message = { topic: packet.topic, payload, messageId: packet.messageId }
  Object.assign(packet, { topic: HANDLED_TOPIC, payload: NOTHING, retain: false })
  return message
}

const SENTENCES: Record<number, string> = {
  [BAD_CREDENTIALS]: 'bad user name or password',
  [UNAVAILABLE]: 'server unavailable',
  [NOT_AUTHORIZED]: 'the sandbox is suspended',
}

const refusal = (returnCode: number): AuthenticateError =>
  Object.assign(new Error(SENTENCES[returnCode]), { returnCode })
