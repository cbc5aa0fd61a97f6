import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { StackCommand, StackMessage } from '@storey/contract'

/** Transfers client connections to a child process, which reports when they end. */
export function createConnectionTransfer(child: ChildProcess, ended: Promise<void>) {
  const open = new Map<number, () => void>()
  let count = 0

  function end(connection: number): void {
    open.get(connection)?.()
    open.delete(connection)
  }

  child.on('message', (message: StackMessage) => {
    if (message.type === 'ended') end(message.connection)
  })
  ended.then(() => {
    for (const connection of open.keys()) end(connection)
  })

  return (socket: Socket, read: Buffer): Promise<void> =>
    new Promise((resolve) => {
      const connection = ++count
      open.set(connection, resolve)
      const command: StackCommand = { type: 'connection', connection, read: read.toString('base64') }
      // Without a `server`, the HTTP server that accepted the socket does not wait for it when the server closes.
      Object.assign(socket, { server: null })
      const sent = (err: Error | null) => {
        // Closes the handle of this process. The connection itself stays open in the child, unless sending failed.
        socket.destroy()
        if (err !== null) end(connection)
      }
      if (child.connected) child.send(command, socket, {}, sent)
      else sent(new Error('the stack has exited'))
    })
}
