import type { Socket } from 'node:net'
import type { StackCommand, StackMessage, StackReport } from '@storey/contract'

/**
 * The line to the control plane: the channel this process was started with. Without one, nobody listens.
 * A control plane that has gone is heard as a disconnect; the message it misses is of no more use.
 */
export function send(message: StackMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })
}

/** Answers the control plane whenever it asks how things go. */
export function onReport(read: () => Promise<StackReport>): void {
  process.on('message', (command: StackCommand) => {
    if (command.type !== 'report') return
    read().then(
      (report) => send({ type: 'report', ...report }),
      () => undefined,
    )
  })
}

/** Calls back with each connection that the control plane hands over, as if it had come here by itself. */
export function onConnection(accept: (socket: Socket) => void): void {
  process.on('message', (command: StackCommand, socket?: Socket) => {
    if (command.type !== 'connection') return
    const { connection, read } = command
    const ended = () => void send({ type: 'ended', connection })
    // It may have gone on the way.
    if (socket === undefined) return ended()
    socket.once('close', ended)
    socket.unshift(Buffer.from(read, 'base64'))
    accept(socket)
  })
}

/** Calls back when tokens of a subject are to be good no more. */
export function onRevoked(revoke: (issuer: string, subject: string) => void): void {
  process.on('message', (command: StackCommand) => {
    if (command.type === 'revoked') revoke(command.issuer, command.subject)
  })
}

/** Calls back once, when the control plane says stop, or has gone, or the system asks the process to end. */
export function onStop(stop: (reason: string) => void): void {
  let stopping = false
  const stopFor = (reason: string) => {
    if (stopping) return
    stopping = true
    stop(reason)
  }
  process.on('message', (command: StackCommand) => {
    if (command.type === 'stop') stopFor('told to stop')
  })
  process.on('disconnect', () => stopFor('the control plane has gone'))
  process.on('SIGTERM', () => stopFor('SIGTERM'))
  // A terminal sends Ctrl-C to the whole group; the control plane decides the order in which its children end.
  process.on('SIGINT', () => undefined)
  const wentEarlier = process.send !== undefined && !process.connected
  if (wentEarlier) stopFor('the control plane has gone')
}
