import { randomUUID } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressGroup, type ClientAddresses, canonicalAddress } from '@storey/kit/client-address'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { Aedes, type AuthenticateError, type Client, type PublishPacket, type Subscription } from 'aedes'
import { findOpen, type SandboxRow } from '../features/sandboxes/index.ts'
import type { SandboxCache } from '../gateway/index.ts'
import { createBackOff } from './back-off.ts'
import { createConnections, type Stranger } from './connections.ts'
import type { Credentials } from './credentials.ts'
import { readProxied } from './proxied.ts'
import type { Message, PublishError, Receive } from './receive.ts'
import { createSessions, MAX_FILTERS, type Session } from './sessions.ts'
import { ThrottledSocket } from './throttled-socket.ts'
import { matches, maySubscribe } from './topics.ts'

export interface EmbeddedBrokerOptions {
  control: Database
  sandboxCache: Pick<SandboxCache, 'find'>
  credentials: Credentials
  receive: Receive
  log: Log
  clientAddresses: ClientAddresses
}

/** A reader that takes nothing for so long is cut off. */
const READ_LIMIT_MS = 10_000
/** What may wait for a reader; errors beyond that are not sent. */
const MAX_UNREAD_BYTES = 1024 * 1024
const DRAIN_LIMIT_MS = 4_000
const PROXY_LIMIT_MS = 5_000
/** The connection has limits of its own, which are shorter. */
const CONNECT_LIMIT_MS = 30_000

const TAKEN = '$SYS/taken'
const NOTHING = Buffer.alloc(0)

const BAD_CREDENTIALS = 4
const UNAVAILABLE = 3

/**
 * A broker that keeps nothing: a message goes to its sandbox's stack before it is acknowledged, and to no subscriber.
 * The refusals are all that a client can read.
 */
export async function createEmbeddedBroker(options: EmbeddedBrokerOptions) {
  const { control, sandboxCache, credentials, receive, log, clientAddresses } = options
  const backOff = createBackOff()
  const sessions = createSessions()
  const connections = createConnections()
  const arrivals = new WeakMap<ThrottledSocket, { stranger: Stranger; isProxy: boolean }>()
  const sockets = new Set<ThrottledSocket>()
  let closing = false

  const broker = await Aedes.createBroker({
    connectTimeout: CONNECT_LIMIT_MS,
    drainTimeout: READ_LIMIT_MS,
    // The sandbox stands before the id: see preConnect.
    maxClientsIdLength: 1_000,
    preConnect(_client, packet, callback) {
      // The same id in two sandboxes is two clients. There are no sessions to come back to, so none are promised.
      packet.clientId = `${packet.username ?? ''}/${packet.clientId || randomUUID()}`
      packet.clean = true
      callback(null, !closing)
    },
    authenticate(client, username, password, done) {
      signIn(client, username, password)
        .catch((err) => {
          if (isUnavailable(err)) log.debug({ reason: err.message }, 'a sign-in over MQTT waits for the database')
          else log.error({ err }, 'a sign-in over MQTT failed')
          return UNAVAILABLE
        })
        .then((code) => (code === undefined ? done(null, true) : done(refusal(code), false)))
    },
    authorizePublish(client, packet, callback) {
      const session = client === null ? undefined : sessions.of(client)
      if (!session) return callback(new Error('not signed in'))
      inTurn(session, takeOver(packet)).then((stored) =>
        callback(stored ? null : new Error('the message could not be stored')),
      )
    },
    authorizeSubscribe(client, subscription, callback) {
      authorizeSubscription(client, subscription).then(
        (allowed) => callback(null, allowed ? subscription : null),
        (err) => callback(err),
      )
    },
  })
  const events: EventEmitter = broker
  events.on('error', (err) => log.error({ err }, 'the MQTT broker failed at something'))
  broker.on('clientError', (client: Client, err: Error) =>
    log.debug({ client: JSON.stringify(client.id), err }, 'MQTT client cut off'),
  )
  broker.on('clientReady', (client: Client) => sessions.of(client)?.start())
  broker.on('unsubscribe', (filters: string[], client: Client) => {
    for (const filter of filters) sessions.of(client)?.filters.delete(filter)
  })

  /** The code of a refusal; undefined when the client is let in. */
  async function signIn(client: Client, username: string | undefined, password: Buffer | undefined) {
    const connection = client.conn as ThrottledSocket
    const { stranger, isProxy } = arrivals.get(connection)!
    const row = await sandboxOf(username, password)
    if (!row) {
      if (!(await backOff.afterFailure(username ?? '', stranger.group))) connection.destroy()
      return BAD_CREDENTIALS
    }
    const sandbox = { sandboxId: row.id, slug: row.slug, organizationId: row.tenantId }
    if (connection.destroyed || !sessions.hasCapacity(row.id)) return UNAVAILABLE
    const leave = connections.signIn(stranger, isProxy)
    if (!leave) return UNAVAILABLE
    connection.once('close', leave)
    sessions.open(client, connection, sandbox)
    return undefined
  }

  async function sandboxOf(
    username: string | undefined,
    password: Buffer | undefined,
  ): Promise<SandboxRow | undefined> {
    if (username === undefined || password === undefined || !credentials.check(username, password)) return undefined
    return await findOpen(control, username)
  }

  /** One after another: what a client sent first is stored first. True when it may be acknowledged. */
  function inTurn(session: Session, message: Message): Promise<boolean> {
    const { bytes, leftOut } = session.connection.shiftForwarded()
    // Sent without asking for an acknowledgement, or left behind as a will.
    const mayBeLost = message.messageId === undefined
    const turn = session.tail
      .then(async () => {
        // Cut off meanwhile: whoever wants to know sends it again.
        if (session.connection.destroyed && !mayBeLost) return false
        return (await receive(session.sandbox, { ...message, leftOut }, publisherFor(session))) || mayBeLost
      })
      .catch((err) => {
        log.error({ err }, 'an MQTT message could not be handled')
        return false
      })
      .finally(() => session.connection.release(bytes))
    session.tail = turn
    return turn
  }

  /** Past the broker's own queue, where a reader that does not read would hold up everyone. */
  function publisherFor({ sandbox }: Session): PublishError {
    return (topic, text) => {
      const payload = Buffer.from(text)
      let recipients = 0
      for (const [client, { filters, connection }] of sessions.inSandbox(sandbox.sandboxId)) {
        const granted = [...filters].filter(([filter]) => matches(filter, topic)).map(([, qos]) => qos)
        if (granted.length === 0 || connection.writableLength > MAX_UNREAD_BYTES) continue
        const qos = Math.min(1, Math.max(...granted)) as 0 | 1
        client.publish({ cmd: 'publish', topic, payload, qos, retain: false, dup: false }, () => undefined)
        recipients++
      }
      return recipients
    }
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

  // Whoever sends, says goodbye and ends has sent: what waits is still handled.
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    if (closing) return void socket.destroy()
    const address = canonicalAddress(socket.remoteAddress ?? '') ?? ''
    if (clientAddresses.isTrustedProxy(address)) void acceptProxied(socket, address)
    else accept(socket, address, false)
  })

  /** A proxy tells first whom it speaks for; from anybody else that is no MQTT, and ends the connection. */
  async function acceptProxied(socket: Socket, proxy: string): Promise<void> {
    const stranger = { group: addressGroup(proxy), hasSentConnect: false, disconnect: () => socket.destroy() }
    connections.enter(stranger)
    const limit = setTimeout(() => socket.destroy(), PROXY_LIMIT_MS).unref()
    socket.on('error', () => socket.destroy())
    const address = await readProxied(socket, proxy)
    clearTimeout(limit)
    connections.leave(stranger)
    if (address === undefined || closing) return void socket.destroy()
    accept(socket, address, address === proxy)
  }

  function accept(socket: Socket, address: string, isProxy: boolean): void {
    const stranger = { group: addressGroup(address), hasSentConnect: false, disconnect: () => connection.destroy() }
    // Only now: most of what strangers send is no sign-in, and costs little so.
    const connection = new ThrottledSocket(socket, () => {
      stranger.hasSentConnect = true
      broker.handle(connection)
    })
    connection.on('error', (err) => log.debug({ err: err.message, address }, 'MQTT connection cut off'))
    arrivals.set(connection, { stranger, isProxy })
    connections.enter(stranger)
    sockets.add(connection)
    connection.once('close', () => {
      connections.leave(stranger)
      sockets.delete(connection)
    })
    socket.resume()
  }

  return {
    server,
    /** Sandboxes change: those that are gone have no clients. */
    async changed(slug: string): Promise<void> {
      const here = sessions.ofSlug(slug)
      if (here.length > 0 && !(await sandboxCache.find(slug))) for (const client of here) client.close()
    },
    clients: () => sessions.count(),
    /** Messages under way get a moment; whatever is not acknowledged then comes again. */
    async close(): Promise<void> {
      closing = true
      const closed = new Promise<void>((resolve) => (server.listening ? server.close(() => resolve()) : resolve()))
      await Promise.race([sessions.idle(), sleep(DRAIN_LIMIT_MS, undefined, { ref: false })])
      await new Promise<void>((resolve) => broker.close(() => resolve()))
      // Those who are not signed in yet are no clients of the broker's.
      for (const connection of sockets) connection.destroy()
      await closed
    },
  }
}

export type EmbeddedBroker = Awaited<ReturnType<typeof createEmbeddedBroker>>

/** What is left of the packet goes on through the broker: to a topic that nobody can read, and without its payload. */
function takeOver(packet: PublishPacket): Message {
  const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload
  const message = { topic: packet.topic, payload, messageId: packet.messageId }
  Object.assign(packet, { topic: TAKEN, payload: NOTHING, retain: false })
  return message
}

const SENTENCES: Record<number, string> = {
  [BAD_CREDENTIALS]: 'bad user name or password',
  [UNAVAILABLE]: 'server unavailable',
}

const refusal = (returnCode: number): AuthenticateError =>
  Object.assign(new Error(SENTENCES[returnCode]), { returnCode })
