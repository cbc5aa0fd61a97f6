import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { ServedRequest, StackCommand, StackMessage } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { listenToStack } from './stack-messages.ts'

/** A connection that a stack has returned, and the bytes that the stack has read from it. */
export interface ReturnedConnection {
  socket: Socket
  read: Buffer
}

/** The connection of an MQTT client that a stack has returned. There is no socket if the connection has ended. */
export interface ReturnedPublisher {
  socket: Socket | undefined
  read: Buffer
  /** How long the client has sent nothing. */
  silentMs: number
}

interface Reports {
  /** Called at every report of the stack, even an empty one. */
  onReport(): void
}

/** What a stack reports about a connection that it serves. */
export interface IngestReports extends Reports {
  served(request: ServedRequest): void
}

/** What a stack reports about the connection of an MQTT client. */
export interface PublishReports extends Reports {
  /** `count` more messages were stored. */
  stored(count: number): void
}

/** An MQTT client whose connection is transferred to a stack. */
export interface Publisher {
  topic: string
  buildingId: string
  /** The bytes of the client's next packets, as far as this process has already read them. */
  read: Buffer
}

export interface TransferredPublisher {
  /** Resolves to what the stack returns, or to undefined when the connection was lost with the stack. */
  returned: Promise<ReturnedPublisher | undefined>
  /** Requests the return of the connection. */
  recall(): void
}

export interface DirectIngestTransfer {
  /**
   * Transfers a client connection to the stack, which serves plain ingest requests for this host on it. This process
   * must have processed all bytes that it has read from the connection. Resolves with undefined when the connection has
   * ended. Resolves with the connection when the stack returns the connection: because it is idle, because anything
   * other than such a request arrives on it, or after `returnAll`.
   */
  transfer(socket: Socket, host: string, reports: IngestReports): Promise<ReturnedConnection | undefined>
  /** Transfers the connection of an MQTT client to the stack. The socket must have stopped reading. */
  transferPublisher(socket: Socket, publisher: Publisher, reports: PublishReports): TransferredPublisher
  /** Requests the return of all connections. */
  returnAll(): void
  /** Resolves when all connections have ended or are returned. After the call, no connection may be transferred. */
  close(): Promise<void>
  isClosed(): boolean
}

interface Transferred {
  /** The socket of this process. It is destroyed as soon as the stack has the connection, which stays open there. */
  socket: Socket
  end(returned?: ReturnedPublisher): void
  reports?: Partial<IngestReports & PublishReports>
}

/** Enough for the head and the body (at most 256 KB) of a request, and for the later bytes that are read with them. */
const MAX_RETURNED_BYTES = 1024 * 1024
/** A stack cannot store more messages between two reports. */
const MAX_STORED = 1_000_000

/** Undefined if the message is invalid, or if the stack returns more than it can have read. */
function returnedIn(
  { read, silentMs }: Extract<StackMessage, { type: 'returned' }>,
  socket: Socket | undefined,
): ReturnedPublisher | undefined {
  const bytes = typeof read === 'string' ? Buffer.from(read, 'base64') : undefined
  if (bytes !== undefined && bytes.length <= MAX_RETURNED_BYTES)
    return { socket, read: bytes, silentMs: Number.isFinite(silentMs) ? Math.max(0, silentMs) : 0 }
  socket?.destroy()
  return undefined
}

const listIn = <T extends object>(list: readonly T[]): T[] =>
  Array.isArray(list) ? list.filter((entry) => typeof entry === 'object' && entry !== null) : []

/** Transfers client connections to a child process, which reports when they end or returns them. */
export function createConnectionTransfer(child: ChildProcess, ended: Promise<void>, log: Log) {
  const open = new Map<number, Transferred>()
  /** How many of these connections are of ingest or of an MQTT client, which the stack can return. */
  let returnable = 0
  let count = 0
  let isClosed = false
  let onReturned: (() => void) | undefined

  function add(connection: number, transferred: Transferred): void {
    open.set(connection, transferred)
    if (transferred.reports) returnable++
  }

  function end(connection: number, returned?: ReturnedPublisher): void {
    const transferred = open.get(connection)
    open.delete(connection)
    if (!transferred?.reports) returned?.socket?.destroy()
    else returnable--
    transferred?.end(returned)
    if (returnable === 0) onReturned?.()
  }

  const request = (command: StackCommand) => void (child.connected && child.send(command, () => undefined))
  const returnAll = () => request({ type: 'return' })

  listenToStack(child, log, (message, socket) => {
    if (message.type === 'ended') end(message.connection)
    if (message.type === 'returned') end(message.connection, returnedIn(message, socket))
    if (message.type !== 'served') return
    for (const { reports } of open.values()) reports?.onReport?.()
    for (const request of listIn(message.requests)) open.get(request.connection)?.reports?.served?.(request)
    for (const { connection, count } of listIn(message.messages)) {
      if (Number.isInteger(count) && count > 0 && count <= MAX_STORED) open.get(connection)?.reports?.stored?.(count)
    }
  })
  ended.then(() => {
    for (const [connection, { socket }] of open) {
      // The socket of a command that was never sent is still open in this process.
      socket.destroy()
      end(connection)
    }
  })

  function send(socket: Socket, connection: number, command: StackCommand, unsent?: ReturnedPublisher): void {
    // Clears the reference to the server that accepted the socket. Otherwise `close` of the server would wait for the
    // socket.
    Object.assign(socket, { server: null })
    const sent = (err: Error | null) => {
      // Closes the handle of this process. The connection itself stays open in the child, unless sending failed.
      socket.destroy()
      if (err !== null) end(connection, unsent)
    }
    if (child.connected) child.send(command, socket, {}, sent)
    else sent(new Error('the stack has exited'))
  }

  return {
    transferConnection: (socket: Socket, read: Buffer): Promise<void> =>
      new Promise((resolve) => {
        const connection = ++count
        add(connection, { socket, end: () => resolve() })
        send(socket, connection, { type: 'connection', connection, read: read.toString('base64') })
      }),
    directIngest: {
      transfer: (socket, host, reports) =>
        new Promise<ReturnedConnection | undefined>((resolve) => {
          const connection = ++count
          // There is no socket if the client disconnected during the return.
          const end = (returned?: ReturnedPublisher) =>
            resolve(returned?.socket && { socket: returned.socket, read: returned.read })
          add(connection, { socket, end, reports })
          send(socket, connection, { type: 'ingest', connection, host })
        }),
      transferPublisher(socket, { read, ...publisher }, reports) {
        const connection = ++count
        const { promise, resolve } = Promise.withResolvers<ReturnedPublisher | undefined>()
        add(connection, { socket, end: resolve, reports })
        const command = { type: 'publish', connection, ...publisher, read: read.toString('base64') } as const
        send(socket, connection, command, { socket: undefined, read, silentMs: 0 })
        return { returned: promise, recall: () => request({ type: 'return', connection }) }
      },
      returnAll,
      isClosed: () => isClosed,
      close() {
        isClosed = true
        if (returnable === 0) return Promise.resolve()
        returnAll()
        const before = onReturned
        return new Promise<void>((resolve) => {
          onReturned = () => {
            before?.()
            resolve()
          }
        })
      },
    } satisfies DirectIngestTransfer,
  }
}
