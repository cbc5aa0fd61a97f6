import type { Socket } from 'node:net'
import type { StackCommand, StackMessage, StackReport } from '@storey/contract'
import type { DirectIngest, DirectReports } from '../direct-ingest/index.ts'

type Command<T extends StackCommand['type']> = Extract<StackCommand, { type: T }>

/** The messages and commands between this process and the control plane. */
export interface Channel {
  /** Errors of the connection are ignored, since a control plane that has ended no longer needs the message. */
  send(message: StackMessage, socket?: Socket): Promise<void>
  onCommand<T extends StackCommand['type']>(type: T, take: (command: Command<T>, socket?: Socket) => void): void
  /** Sends the report that `read` returns, each time the control plane requests a report. */
  onReport(read: () => Promise<StackReport>): void
  /** The port for control planes on other machines (`control-channel.ts`); absent if there is only IPC. */
  controlPort?: number
  /** Ends the control channel, if there is one: sends its last message to the control planes, and closes its port. */
  close(): Promise<void>
}

/** The IPC channel of this process. Without one, messages are dropped. */
export const ipcChannel: Channel = {
  send: (message, socket) =>
    new Promise((resolve) => {
      if (process.send === undefined) resolve()
      else process.send(message, socket, undefined, () => resolve())
    }),
  onCommand(type, take) {
    process.on('message', (command: StackCommand, socket?: Socket) => {
      if (command.type === type) take(command as Command<typeof type>, socket)
    })
  },
  onReport(read) {
    ipcChannel.onCommand('report', () => {
      read().then(
        (report) => ipcChannel.send({ type: 'report', ...report }),
        () => undefined,
      )
    })
  },
  close: async () => undefined,
}

/**
 * Calls `accept` with each connection that the control plane transfers. The bytes that the control plane has already
 * read are put back into the socket first.
 */
export function onConnection(channel: Channel, accept: (socket: Socket) => void): void {
  channel.onCommand('connection', ({ connection, read }, socket) => {
    const ended = () => void channel.send({ type: 'ended', connection })
    // The client may have disconnected during the transfer.
    if (socket === undefined) return ended()
    socket.once('close', ended)
    socket.unshift(Buffer.from(read, 'base64'))
    accept(socket)
  })
}

/**
 * Passes the connections on which clients send observations to `directIngest`, and the reports of `directIngest` to the
 * control plane.
 */
export function onIngestConnection(channel: Channel, directIngest: DirectIngest): void {
  const reports: DirectReports = {
    ended: (connection) => channel.send({ type: 'ended', connection }),
    served: (requests, messages) => channel.send({ type: 'served', requests, messages }),
    async returned(connection, socket, read, silentMs) {
      await channel.send({ type: 'returned', connection, read: read.toString('base64'), silentMs }, socket)
      socket?.destroy()
    },
  }
  // A connection arrives without its socket if the client disconnected during the transfer.
  channel.onCommand('ingest', ({ connection, host }, socket) => {
    if (socket === undefined) return void reports.ended(connection)
    directIngest.accept(connection, socket, host, reports)
  })
  channel.onCommand('publish', ({ type: _, read: text, ...publisher }, socket) => {
    const read = Buffer.from(text, 'base64')
    if (socket === undefined) return void reports.returned(publisher.connection, undefined, read, 0)
    directIngest.acceptPublisher({ ...publisher, read }, socket, reports)
  })
  channel.onCommand('return', ({ connection }) => directIngest.returnConnection(connection))
}

/**
 * Calls `stop` once, when the control plane requests a stop or has ended, or on SIGTERM. After SIGTERM, a replica
 * continues to serve for `delayMs`, because it gets requests until the control planes know that it ends.
 */
export function onStop(channel: Channel, stop: (reason: string) => void, delayMs = 0): void {
  let stopping = false
  const stopFor = (reason: string) => {
    if (stopping) return
    stopping = true
    stop(reason)
  }
  channel.onCommand('stop', () => stopFor('stop requested'))
  process.on('disconnect', () => stopFor('the control plane has ended'))
  process.on('SIGTERM', () => {
    if (delayMs === 0) stopFor('SIGTERM')
    else setTimeout(() => stopFor('SIGTERM'), delayMs)
  })
  // A terminal sends Ctrl-C to the whole process group, but the control plane decides when its children stop.
  process.on('SIGINT', () => undefined)
  const isAlreadyGone = process.send !== undefined && !process.connected
  if (isAlreadyGone) stopFor('the control plane has ended')
}
