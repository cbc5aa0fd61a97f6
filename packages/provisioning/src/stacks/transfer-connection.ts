import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { ServedRequest, StackCommand, StackMessage } from '@storey/contract'

/** A connection that a stack has returned, and the bytes that it has read from it. */
export interface ReturnedConnection {
  socket: Socket
  read: Buffer
}

/** What a stack reports about a connection that it serves. */
export interface IngestReports {
  served(request: ServedRequest): void
  /** The stack has reported something, or that there is nothing. */
  heard(): void
}

export interface DirectIngestTransfer {
  /**
   * Transfers a client connection, of which nothing is unread, to the stack, which serves plain ingest requests for this
   * host on it. Resolves when it has ended, or with the connection if something else comes on it, or if it is idle.
   */
  transfer(socket: Socket, host: string, reports: IngestReports): Promise<ReturnedConnection | undefined>
  /** Requests the return of all connections. */
  returnAll(): void
  /** Resolves when all connections have ended or are returned. From now on none may be transferred. */
  close(): Promise<void>
  isClosed(): boolean
}

interface Transferred {
  end(returned?: ReturnedConnection): void
  reports?: IngestReports
}

/** A request of at most 256 KB and its head, and as much behind it as is read at once. */
const MAX_RETURNED_BYTES = 1024 * 1024

/** Undefined if the client has disconnected during the return, or if the stack returns more than it can have read. */
function returnedIn(read: string, socket: Socket | undefined): ReturnedConnection | undefined {
  const bytes = Buffer.from(read, 'base64')
  if (socket && bytes.length <= MAX_RETURNED_BYTES) return { socket, read: bytes }
  socket?.destroy()
  return undefined
}

/** Transfers client connections to a child process, which reports when they end or returns them. */
export function createConnectionTransfer(child: ChildProcess, ended: Promise<void>) {
  const open = new Map<number, Transferred>()
  let count = 0
  let isClosed = false
  let onReturned: (() => void) | undefined

  function end(connection: number, returned?: ReturnedConnection): void {
    const transferred = open.get(connection)
    open.delete(connection)
    if (transferred) transferred.end(returned)
    else returned?.socket.destroy()
    if (!isServing()) onReturned?.()
  }

  /** Whether the stack serves ingest connections. */
  const isServing = () => [...open.values()].some(({ reports }) => reports !== undefined)
  const returnAll = () =>
    void (child.connected && child.send({ type: 'return' } satisfies StackCommand, () => undefined))

  child.on('message', (message: StackMessage, socket?: Socket) => {
    if (message.type === 'ended') end(message.connection)
    if (message.type === 'returned') end(message.connection, returnedIn(message.read, socket))
    if (message.type !== 'served') return
    for (const { reports } of open.values()) reports?.heard()
    for (const request of message.requests) open.get(request.connection)?.reports?.served(request)
  })
  ended.then(() => {
    for (const connection of open.keys()) end(connection)
  })

  function send(socket: Socket, connection: number, command: StackCommand): void {
    // Without a `server`, the HTTP server that accepted the socket does not wait for it when the server closes.
    Object.assign(socket, { server: null })
    const sent = (err: Error | null) => {
      // Closes the handle of this process. The connection itself stays open in the child, unless sending failed.
      socket.destroy()
      if (err !== null) end(connection)
    }
    if (child.connected) child.send(command, socket, {}, sent)
    else sent(new Error('the stack has exited'))
  }

  return {
    transferConnection: (socket: Socket, read: Buffer): Promise<void> =>
      new Promise((resolve) => {
        const connection = ++count
        open.set(connection, { end: () => resolve() })
        send(socket, connection, { type: 'connection', connection, read: read.toString('base64') })
      }),
    directIngest: {
      transfer: (socket, host, reports) =>
        new Promise<ReturnedConnection | undefined>((resolve) => {
          const connection = ++count
          open.set(connection, { end: resolve, reports })
          send(socket, connection, { type: 'ingest', connection, host })
        }),
      returnAll,
      isClosed: () => isClosed,
      close() {
        isClosed = true
        if (!isServing()) return Promise.resolve()
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
