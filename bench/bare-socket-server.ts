/**
 * A Socket.IO server without any rules, with which the live channel is compared. It runs in a process of its own. Every
 * client may join a room, and every message from the parent process is an event for a room.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIVE_NAMESPACE } from '@storey/contract'
import { Server } from 'socket.io'

export interface BareEvent {
  room: string
  name: string
  fields: unknown
  sequence: number
}

/** The message to the parent process. */
export interface Listening {
  port: number
}

const http = createServer()
const namespace = new Server(http, { transports: ['websocket'], serveClient: false }).of(LIVE_NAMESPACE)
let last = 0
namespace.on('connection', (socket) => {
  socket.on('join', (room: string, reply: (answer: object) => void) => {
    void socket.join(room)
    reply({ ok: true, sequence: last })
  })
})
process.on('message', ({ room, name, fields, sequence }: BareEvent) => {
  last = sequence
  namespace.to(room).emit(name, fields, { sequence })
})
process.on('disconnect', () => process.exit())
http.listen(0, '127.0.0.1', () => process.send!({ port: (http.address() as AddressInfo).port } satisfies Listening))
