import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Requests whose clients wait for `100 Continue` before they send their body. */
const heldBack = new WeakMap<IncomingMessage, ServerResponse>()

/** Has a server look at the head of a request before it asks for the body; Node alone would ask at once. */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    heldBack.set(request, response)
    server.emit('request', request, response)
  })
}

export const awaitsContinue = (request: IncomingMessage): boolean => heldBack.has(request)

/** To be called before a body is read: its client may be waiting for this. */
export function sendContinue(request: IncomingMessage): void {
  heldBack.get(request)?.writeContinue()
  heldBack.delete(request)
}
