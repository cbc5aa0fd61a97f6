import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIVE_NAMESPACE, LIVE_PATHS, PROBLEMS } from '@storey/contract'
import { addressGroup } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import { toProblem } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { Server, type Socket } from 'socket.io'
import type { Bus } from '../bus/index.ts'
import type { Caller } from '../caller.ts'
import type { Revocations } from '../http/index.ts'
import { createAllowance } from './allowance.ts'
import type { Engine } from './door.ts'
import type { LiveLimits } from './limits.ts'
import { takeOrders } from './orders.ts'
import { createRooms } from './rooms.ts'
import type { SignIn } from './sign-in.ts'
import { createStrangers } from './strangers.ts'

type Connection = Socket['conn']
type EngineRequest = Parameters<Server['engine']['handleRequest']>[0]

export interface ChannelOptions {
  bus: Bus
  clock: Clock
  log: Log
  signIn: SignIn
  revocations: Revocations
  buildingExists(buildingId: string): Promise<boolean>
  limits: LiveLimits
}

export interface Channel extends Engine {
  close(): Promise<void>
}

const SWEEP_EVERY_MS = 1_000
/** With a slow realm a token takes its time: whoever has shown one is not cut off for that. */
const CONNECT_LIMIT_MS = 45_000
/** For the words of parting; after it a connection is cut. */
const PARTING_MS = 250
/** How long the other side may take to answer the end of a WebSocket. The library would wait for 30 s, in no count. */
const END_ANSWER_MS = 1_000

/** The Socket.IO side of the channel. It listens nowhere: requests are handed to its engine. */
export function openChannel(options: ChannelOptions): Channel {
  const { bus, clock, log, signIn, revocations, limits } = options
  const io = new Server(createServer(), {
    path: LIVE_PATHS[0],
    serveClient: false,
    connectTimeout: CONNECT_LIMIT_MS,
    maxHttpBufferSize: limits.messageBytes,
    httpCompression: false,
    perMessageDeflate: false,
  })
  const { engine } = io
  const { ws } = engine as unknown as { ws: { options: { closeTimeout: number } } }
  ws.options.closeTimeout = END_ANSWER_MS
  const namespace = io.of(LIVE_NAMESPACE)
  const rooms = createRooms({ bus, limits, drop: ({ conn }) => cut(conn) })
  const callers = new Map<Socket, Caller>()
  /** Connections that have shown a token, or are about to: one has one socket. */
  const signedIn = new WeakSet<Connection>()
  const wires = new Set<Duplex>()
  const strangers = createStrangers<Connection>(limits.strangers, cut)
  /** By their ids in the addresses of polls. */
  const callersByPoll = new Set<string>()

  io.use((_socket, next) => next(new Error('Invalid namespace')))
  namespace.use((socket, next) => {
    const { conn } = socket
    if (signedIn.has(conn)) return cut(conn)
    signedIn.add(conn)
    // Whoever shows a token does not give way while it is looked at.
    strangers.remove(conn)
    signIn(socket.handshake).then(
      (caller) => {
        socket.data = caller
        next()
      },
      (err) => {
        signedIn.delete(conn)
        if (conn.readyState === 'open') {
          strangers.add(conn, addressOf(conn.request))
          expectToken(conn)
        }
        next(refusalOf(err))
      },
    )
  })

  function refusalOf(err: unknown): Error {
    const problem = toProblem(err)
    if (problem.code === 'INTERNAL') log.error({ err }, 'a caller of the live channel could not be looked at')
    const message = problem.code === 'INTERNAL' ? PROBLEMS.INTERNAL[1] : problem.message
    return Object.assign(new Error(message), { data: { code: problem.code } })
  }

  namespace.on('connection', (socket) => {
    const caller: Caller = socket.data
    callers.set(socket, caller)
    callersByPoll.add(idOf(socket.conn))
    const isAllowed = createAllowance(limits.orders)
    takeOrders(socket, caller, { rooms, log, isAllowed, buildingExists: options.buildingExists })
    socket.on('disconnect', () => {
      callers.delete(socket)
      callersByPoll.delete(idOf(socket.conn))
      rooms.leaveAll(socket)
      // A connection is there for its socket only.
      socket.conn.close()
    })
    dismiss(socket, caller)
  })

  /** Ends a connection that comes with no token in time. */
  function expectToken(conn: Connection): void {
    const timer = setTimeout(() => {
      if (!signedIn.has(conn)) cut(conn)
    }, limits.signInMs)
    conn.once('close', () => clearTimeout(timer))
  }

  engine.on('connection', (conn: Connection) => {
    strangers.add(conn, addressOf(conn.request))
    expectToken(conn)
    conn.once('close', () => strangers.remove(conn))
    const isAllowed = createAllowance(limits.messages)
    conn.on('packet', () => {
      if (!isAllowed()) cut(conn)
    })
  })

  /** Ends the socket of a token that is good no more; its client is to come again by itself only with another. */
  function dismiss(socket: Socket, caller: Caller): void {
    if (caller.expiresAt > clock.now() && !revocations.isRevoked(caller)) return
    const { conn } = socket
    socket.disconnect(true)
    sleep(PARTING_MS, undefined, { ref: false }).then(() => cut(conn))
  }

  function dismissAll(): void {
    for (const [socket, caller] of callers) dismiss(socket, caller)
  }

  revocations.onRevoke(dismissAll)
  const sweeping = setInterval(() => {
    dismissAll()
    rooms.sweep()
  }, SWEEP_EVERY_MS).unref()

  return {
    hasRoom: () => engine.clientsCount < limits.connections || strangers.giveWay(),
    isCaller: (sid) => callersByPoll.has(sid),
    handleRequest: (request, response) => engine.handleRequest(request as EngineRequest, response),
    handleUpgrade(request, wire, head) {
      wires.add(wire)
      wire.once('close', () => wires.delete(wire))
      engine.handleUpgrade(request as EngineRequest, wire, head)
    },
    async close() {
      clearInterval(sweeping)
      rooms.close()
      engine.close()
      for (let waited = 0; wires.size > 0 && waited < PARTING_MS; waited += 10) await sleep(10)
      for (const wire of wires) wire.destroy()
    },
  }
}

const idOf = (conn: Connection): string => (conn as unknown as { id: string }).id

/** The gateway has written it: whom a connection belongs to, also behind a proxy. */
function addressOf({ headers, socket }: Connection['request']): string {
  return addressGroup(String(headers['x-forwarded-for'] ?? socket?.remoteAddress ?? ''))
}

/** Ends a connection without waiting for the other side to read what was sent. */
function cut(conn: Connection): void {
  const { socket } = conn.transport as unknown as { socket?: { terminate?(): void } }
  conn.close(true)
  socket?.terminate?.()
}
