import { Agent, type ClientRequest, request as open, type RequestOptions } from 'node:http'
import { createConnection, type NetConnectOpts, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressFor, type RunningStack, type StackAddress } from '../stacks/index.ts'

/**
 * A connection that is idle for longer than this is closed. The stack closes idle connections after 72 s, so it does
 * not close a connection on which the gateway is about to send a request.
 */
const IDLE_MS = 15_000

/**
 * A connection to a stack, used by one client connection only. Requests of different clients never share it, so a
 * smuggled request can only affect its own sender. The connection leads to one replica of the stack, which is chosen
 * again when the list of replicas changes.
 */
export interface StackLink {
  /** With an affinity (`affinity.ts`), the request is sent to the replica that the affinity determines. */
  open(stack: RunningStack, options: RequestOptions, affinity?: string): ClientRequest
  /** Where the last request was sent. */
  address(): StackAddress | undefined
  /** Closes the connection. The next request opens another. */
  drop(): void
}

export function createStackLink(): StackLink {
  let agent: Agent | undefined
  let to: RunningStack | undefined
  let chosen: StackAddress | undefined
  let chosenFrom: readonly StackAddress[] | undefined

  function drop(): void {
    agent?.destroy()
    agent = undefined
  }

  function choose(stack: RunningStack, affinity: string | undefined): StackAddress {
    const list = stack.replicas?.list()
    const mayStay = chosen !== undefined && stack === to && list === chosenFrom && affinity === undefined
    const next = mayStay ? chosen! : addressFor(stack, affinity)
    if (stack !== to || next.host !== chosen?.host || next.port !== chosen.port) drop()
    chosenFrom = list
    to = stack
    return next
  }

  return {
    address: () => chosen,
    open(stack, options, affinity) {
      chosen = choose(stack, affinity)
      const { host, port } = chosen
      agent ??= new OneConnection({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 })
      return open({ ...options, host, port, agent })
    },
    drop,
  }
}

/**
 * All connections read into this buffer. Otherwise every read would leave a buffer to the garbage collector, which took
 * half of the CPU time of a large response. It can be shared, because a read and its callback run without interruption,
 * and the parser copies bodies. On Windows a read can be in progress while others complete, so the buffer is not shared
 * there.
 */
const READ_BUFFER = process.platform === 'win32' ? undefined : Buffer.allocUnsafeSlow(64 * 1024)

function connectTo(options: NetConnectOpts): Socket {
  if (READ_BUFFER === undefined) return createConnection(options)
  const socket: Socket = createConnection({
    ...options,
    onread: {
      buffer: READ_BUFFER,
      callback: (length, bytes) => socket.emit('data', (bytes as Buffer).subarray(0, length)),
    },
  })
  return socket
}

/** Keeps a connection alive between requests, unless data arrives on it that no request asked for. */
class OneConnection extends Agent {
  override createConnection(options: NetConnectOpts): Duplex {
    return connectTo(options)
  }

  // The types declare that this method returns nothing, but Node's agent uses the returned boolean.
  override keepSocketAlive(socket: Socket): boolean {
    if (socket.readableLength > 0 || socket.writableLength > 0) return false
    const isKept = super.keepSocketAlive(socket) as unknown as boolean
    socket.once('data', endSocket)
    socket.setTimeout(IDLE_MS)
    return isKept
  }

  override reuseSocket(socket: Socket, request: ClientRequest): void {
    socket.off('data', endSocket)
    socket.setTimeout(0)
    super.reuseSocket(socket, request)
  }
}

function endSocket(this: Socket): void {
  this.destroy()
}
