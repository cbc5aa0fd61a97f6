/**
 * This module is loaded before a program (`--import`), in each of its threads. It records every address that the
 * program connects or sends to, in the file that the parameter `to` of the module's URL names. All libraries use the
 * functions that are wrapped here.
 */
import { Socket as UdpSocket } from 'node:dgram'
import { appendFileSync } from 'node:fs'
import { Socket } from 'node:net'

const file = new URL(import.meta.url).searchParams.get('to')!
const note = (what: string) => appendFileSync(file, `${what}\n`)

const connect = Socket.prototype.connect
Socket.prototype.connect = function recorded(this: Socket, ...args: unknown[]): Socket {
  note(targetOf(args))
  return Reflect.apply(connect, this, args)
}

const send = UdpSocket.prototype.send
UdpSocket.prototype.send = function recorded(this: UdpSocket, ...args: unknown[]): void {
  note(`udp ${args.filter((arg) => typeof arg !== 'object' && typeof arg !== 'function').join(' ')}`)
  Reflect.apply(send, this, args)
}

/** `net.connect` passes all arguments as one array; other callers pass them one by one. */
function targetOf(args: unknown[]): string {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  const { port, host, path } = typeof first === 'object' ? first : { port: first, host: second, path: undefined }
  return path === undefined || path === null ? `tcp ${host ?? 'localhost'}:${port}` : `path ${path}`
}
