import { createServer } from 'node:http'
import type { Socket as TcpSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHANGES_NAMESPACE, LIVE_EVENTS, LIVE_NAMESPACE, LIVE_PATHS, PROBLEMS, STACK_CHANGED } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import { addressGroup } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import { toProblem } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { createTokenBucket } from '@storey/kit/token-bucket'
import { closeOrReset, createUnreadLimit } from '@storey/kit/unread'
import { Server, type Socket } from 'socket.io'
import type { Bus } from '../bus/index.ts'
import type { Caller } from '../caller.ts'
import { kindsOf } from '../change-feed/index.ts'
import type { Revocations } from '../http/index.ts'
import { type BuildingChannel, createBuildingChannel } from './building-channel.ts'
import { buildingCommands } from './building-commands.ts'
import { type ChangeChannel, createChangeChannel } from './change-channel.ts'
import { changeCommands } from './change-commands.ts'
import { createChannels } from './channels.ts'
import { type Commands, handleCommands } from './commands.ts'
import type { Engine } from './endpoint.ts'
import { watchExpiredTokens } from './expired-tokens.ts'
import { limitFrames, type WebSocketServer } from './frame-limit.ts'
import type { LiveLimits } from './limits.ts'
import { createSendBudget } from './send-budget.ts'
import type { SignIn } from './sign-in.ts'
import { createUnauthenticatedConnections } from './unauthenticated-connections.ts'

type Connection = Socket['conn']
type EngineRequest = Parameters<Server['engine']['handleRequest']>[0]

export interface SocketServerOptions {
  bus: Bus
  clock: Clock
  log: Log
  signIn: SignIn
  revocations: Revocations
  /** Resolves to undefined if there is no such building. */
  findRevision(buildingId: string): Promise<number | undefined>
  /** Called when the first signed-in person follows a building. */
  onFollowed?(): void
  limits: LiveLimits
}

/** The sign-ins of a connection, which may have one socket in each namespace. Its sockets share a limit of commands. */
interface SignIns {
  /** Namespaces with a socket, or with a token that is being checked. */
  namespaces: Set<string>
  isCommandAllowed(): boolean
  /**
   * When this timer fires, the connection is closed unless a token is accepted or being checked. The timer starts again
   * when a token is refused and the connection has no other token.
   */
  deadline: NodeJS.Timeout
}

export interface SocketServer extends Engine {
  /** The buildings that a signed-in person follows. */
  followed(): string[]
  /** How many connections there are, signed in or not. */
  connections(): number
  close(): Promise<void>
}

const SWEEP_EVERY_MS = 1_000
/** Long enough that a connection that has sent a token is not closed while a slow realm delays the check. */
const CONNECT_TIMEOUT_MS = 45_000
/** How long a connection stays open to send its last packets. */
const CLOSE_GRACE_MS = 250
/**
 * How long the client may take to answer the close of a WebSocket. The default of the library, 30 s, is too long:
 * `hasCapacity` does not limit connections that are being closed, because the library does not count them.
 */
const CLOSE_TIMEOUT_MS = 1_000

/** The Socket.IO server. It listens nowhere: requests are passed to its engine. */
export function openSocketServer(options: SocketServerOptions): SocketServer {
  const { bus, clock, log, signIn, revocations, limits } = options
  const io = new Server(createServer(), {
    path: LIVE_PATHS[0],
    serveClient: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxHttpBufferSize: limits.messageBytes,
    httpCompression: false,
    perMessageDeflate: false,
  })
  const { engine } = io
  const { ws } = engine as unknown as { ws: WebSocketServer<{ _query: { sid?: string } }> }
  Object.assign(ws.options, { closeTimeout: CLOSE_TIMEOUT_MS })
  const sockets = new Set<TcpSocket>()
  const budget = createSendBudget(sockets)
  const drop = ({ conn }: Socket) => cut(conn)
  const events = createChannels<BuildingChannel>({
    create: (buildingId) => createBuildingChannel({ buildingId, limits, budget, drop }),
    subscribe: (find) =>
      LIVE_EVENTS.map((name) =>
        bus.subscribe(name, ({ buildingId, fields }) => find(buildingId)?.publish(name, fields)),
      ),
  })
  const changes = createChannels<ChangeChannel>({
    create: (buildingId) => createChangeChannel({ buildingId, limits, drop }),
    subscribe: (find) => [
      bus.subscribe(STACK_CHANGED, ({ buildingId, fields }) => find(buildingId)?.add(kindsOf(fields))),
    ],
  })
  const tokens = watchExpiredTokens({ clock, revocations, end })
  const signIns = new WeakMap<Connection, SignIns>()
  const limitUnread = createUnreadLimit(() => sockets)
  const unauthenticated = createUnauthenticatedConnections<Connection>(limits.unauthenticated, cut)
  /** The ids of signed-in connections. A poll has the id of its connection as `sid`. */
  const callerSids = new Set<string>()
  /** The first requests of connections that have signed in. */
  const callerRequests = new WeakSet<object>()

  // The request of a WebSocket begins a connection, or its `sid` names a connection that began with polling.
  limitFrames(ws, limits.frames, (request) => callerRequests.has(request) || callerSids.has(request._query.sid ?? ''))

  io.use((_socket, next) => next(new Error('Invalid namespace')))
  const onFollowed = () => options.onFollowed?.()
  serve(LIVE_NAMESPACE, buildingCommands(events), events.leaveAll)
  serve(CHANGES_NAMESPACE, changeCommands(changes, options.findRevision, onFollowed), changes.leaveAll)

  function serve(name: string, commands: Commands, leaveAll: (socket: Socket) => void): void {
    const namespace = io.of(name)
    namespace.use((socket, next) => {
      const { conn } = socket
      const { namespaces } = signIns.get(conn)!
      if (namespaces.has(name)) return cut(conn)
      namespaces.add(name)
      // A connection is not evicted while its token is checked.
      unauthenticated.remove(conn)
      signIn(socket.handshake).then(
        (caller) => {
          socket.data = caller
          next()
        },
        (err) => {
          namespaces.delete(name)
          if (namespaces.size === 0 && conn.readyState === 'open') {
            callerSids.delete(idOf(conn))
            unauthenticated.add(conn, addressOf(conn.request))
            signIns.get(conn)!.deadline.refresh()
          }
          next(refusalOf(err))
        },
      )
    })
    namespace.on('connection', (socket) => {
      const caller: Caller = socket.data
      const { conn } = socket
      const { namespaces, isCommandAllowed: isAllowed } = signIns.get(conn)!
      callerSids.add(idOf(conn))
      callerRequests.add(conn.request)
      handleCommands(socket, caller, commands, { log, isAllowed, findRevision: options.findRevision })
      socket.on('disconnect', () => {
        tokens.remove(socket)
        leaveAll(socket)
        namespaces.delete(name)
        // A connection without sockets has no use.
        if (namespaces.size === 0) conn.close()
      })
      tokens.add(socket, caller)
    })
  }

  function refusalOf(err: unknown): Error {
    const problem = toProblem(err)
    if (problem.code === 'INTERNAL') log.error({ err }, 'live channel: authentication failed')
    const message = problem.code === 'INTERNAL' ? PROBLEMS.INTERNAL[1] : problem.message
    return Object.assign(new Error(message), { data: { code: problem.code } })
  }

  engine.on('connection', (conn: Connection) => {
    sweeping.wakeIn(SWEEP_EVERY_MS)
    const namespaces = new Set<string>()
    const deadline = setTimeout(() => {
      if (namespaces.size === 0) cut(conn)
    }, limits.signInMs)
    signIns.set(conn, { namespaces, isCommandAllowed: createTokenBucket(limits.commands).take, deadline })
    unauthenticated.add(conn, addressOf(conn.request))
    conn.once('close', () => {
      clearTimeout(deadline)
      unauthenticated.remove(conn)
      callerSids.delete(idOf(conn))
    })
    const isFirstAllowed = createTokenBucket(limits.firstMessages).take
    const isAllowed = createTokenBucket(limits.messages).take
    conn.on('packet', () => {
      const isWithinLimit = callerSids.has(idOf(conn)) ? isAllowed() : isFirstAllowed()
      if (!isWithinLimit || unreadOf(conn) > limits.unread) cut(conn)
    })
  })

  const sweeping = createLoop({ name: 'live-connections', log, run: sweep })
  async function sweep(): Promise<number | undefined> {
    tokens.checkAll()
    events.sweep()
    changes.sweep()
    await limitUnread()
    return engine.clientsCount > 0 || !events.isEmpty() || !changes.isEmpty() ? SWEEP_EVERY_MS : undefined
  }

  return {
    hasCapacity: () => engine.clientsCount < limits.connections || unauthenticated.evictOldest(),
    followed: () => changes.list((channel) => channel.hasPerson()),
    connections: () => engine.clientsCount,
    isCaller: (sid) => callerSids.has(sid),
    handleRequest: (request, response) => engine.handleRequest(request as EngineRequest, response),
    handleUpgrade(request, socket, head) {
      sockets.add(socket as TcpSocket)
      socket.once('close', () => sockets.delete(socket as TcpSocket))
      engine.handleUpgrade(request as EngineRequest, socket, head)
    },
    async close() {
      const stopped = sweeping.stop()
      events.close()
      changes.close()
      engine.close()
      for (let waited = 0; sockets.size > 0 && waited < CLOSE_GRACE_MS; waited += 10) await sleep(10)
      for (const socket of sockets) socket.destroy()
      await stopped
    },
  }
}

const idOf = (conn: Connection): string => (conn as unknown as { id: string }).id
const unreadOf = (conn: Connection): number => (conn as unknown as { writeBuffer: unknown[] }).writeBuffer.length

/** The client's address. The gateway sets `x-forwarded-for`, also for a client behind a trusted proxy. */
function addressOf({ headers, socket }: Connection['request']): string {
  return addressGroup(String(headers['x-forwarded-for'] ?? socket?.remoteAddress ?? ''))
}

/** Disconnects a socket, and closes its connection after the last packets are sent or `CLOSE_GRACE_MS` has passed. */
function end(socket: Socket): void {
  const { conn } = socket
  socket.disconnect(true)
  sleep(CLOSE_GRACE_MS, undefined, { ref: false }).then(() => cut(conn))
}

/** Closes a connection without waiting for the other side to read. */
function cut(conn: Connection): void {
  const { socket } = conn.transport as unknown as { socket?: { _socket?: TcpSocket | null } }
  const tcp = socket?._socket
  conn.close(true)
  if (tcp) void closeOrReset(tcp)
}
