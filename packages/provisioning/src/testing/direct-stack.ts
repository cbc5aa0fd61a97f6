// A process that serves transferred connections like a stack, for tests of the gateway. It answers each request with
// 202 and reports the request. It does something else if the request contains one of these words:
// - `back`: it does not answer, and returns the connection together with the bytes of the request.
// - `mute`: from now on it reports nothing.
// - `wrong`: it reports an invalid request id.
// - `malformed`: it sends several reports. In each, `messages` and one value of the request, never the caller, have a
//   wrong type.

import type { Socket } from 'node:net'
import type { StackCommand, StackMessage } from '@storey/contract'

const open = new Map<number, Socket>()
let isMute = false

function send(message: StackMessage, socket?: Socket): void {
  process.send!(message, socket, undefined, () => socket?.destroy())
}

function giveBack(connection: number, socket: Socket, read: Buffer = Buffer.alloc(0)): void {
  open.delete(connection)
  ;(socket as unknown as { _handle: { readStop(): void } })._handle.readStop()
  send({ type: 'returned', connection, read: read.toString('base64'), silentMs: 0 }, socket)
}

function serve(connection: number, socket: Socket): void {
  open.set(connection, socket)
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes: Buffer) => {
    const text = bytes.toString('latin1')
    if (text.includes('back')) return giveBack(connection, socket, bytes)
    if (text.includes('mute')) isMute = true
    socket.write('HTTP/1.1 202 Accepted\r\nx-served: directly\r\ncontent-length: 0\r\n\r\n')
    const requestId = text.includes('wrong') ? 'no id' : `req_${'a'.repeat(32)}`
    const route = '/api/v1/buildings/:buildingId/telemetry/observations'
    const served = { connection, requestId, target: '/api/v1/x?secret', route, caller: 'account ann' }
    const report = { ...served, status: 202, durationMs: 3, bytes: 60 }
    const odd = { toString: 1, valueOf: 1 }
    if (text.includes('malformed'))
      for (const name of Object.keys(report).filter((name) => name !== 'caller'))
        for (const value of [odd, [report[name as keyof typeof report]], null])
          process.send!({ type: 'served', requests: [{ ...report, connection, [name]: value }], messages: odd })
    else if (!isMute) send({ type: 'served', requests: [report], messages: [] })
  })
  socket.once('close', () => {
    if (open.delete(connection)) send({ type: 'ended', connection })
  })
}

process.on('message', (command: StackCommand, socket?: Socket) => {
  if (command.type === 'ingest' && socket) serve(command.connection, socket)
  if (command.type === 'return') for (const [connection, one] of open) giveBack(connection, one)
})
setInterval(() => isMute || send({ type: 'served', requests: [], messages: [] }), 100)
