import type { Socket } from 'node:net'
import type { StackCommand, StackMessage, StackReport } from '@storey/contract'

/**
 * Sends a message to the control plane over the IPC channel of this process, if there is one. Errors are ignored, since
 * a control plane that has ended no longer needs the message.
 */
export function send(message: StackMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })
}

/** Replies when the control plane requests a report. */
export function onReport(read: () => Promise<StackReport>): void {
  process.on('message', (command: StackCommand) => {
    if (command.type !== 'report') return
    read().then(
      (report) => send({ type: 'report', ...report }),
      () => undefined,
    )
  })
}

/** Calls back with each connection that the control plane transfers, as if the client had connected here. */
export function onConnection(accept: (socket: Socket) => void): void {
  process.on('message', (command: StackCommand, socket?: Socket) => {
    if (command.type !== 'connection') return
    const { connection, read } = command
    const ended = () => void send({ type: 'ended', connection })
    // The client may have disconnected during the transfer.
    if (socket === undefined) return ended()
    socket.once('close', ended)
    socket.unshift(Buffer.from(read, 'base64'))
    accept(socket)
  })
}

/** Calls back when the tokens of a subject are revoked. */
export function onRevoked(revoke: (issuer: string, subject: string) => void): void {
  process.on('message', (command: StackCommand) => {
    if (command.type === 'revoked') revoke(command.issuer, command.subject)
  })
}

/** Calls back when the accounts of the sandbox have changed. */
export function onPeople(changed: () => void): void {
  process.on('message', (command: StackCommand) => {
    if (command.type === 'people') changed()
  })
}

/** Calls back once, when the control plane requests a stop or has ended, or on SIGTERM. */
export function onStop(stop: (reason: string) => void): void {
  let stopping = false
  const stopFor = (reason: string) => {
    if (stopping) return
    stopping = true
    stop(reason)
  }
  process.on('message', (command: StackCommand) => {
    if (command.type === 'stop') stopFor('stop requested')
  })
  process.on('disconnect', () => stopFor('the control plane has ended'))
  process.on('SIGTERM', () => stopFor('SIGTERM'))
  // A terminal sends Ctrl-C to the whole process group, but the control plane decides when its children stop.
  process.on('SIGINT', () => undefined)
  const isAlreadyGone = process.send !== undefined && !process.connected
  if (isAlreadyGone) stopFor('the control plane has ended')
}
