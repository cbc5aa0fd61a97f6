import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Requests whose clients wait for `100 Continue` before they send their body. */
const heldBack = new WeakMap<IncomingMessage, () => void>()

/** Has a server look at the head of a request before it asks for the body; Node alone would ask at once. */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    holdContinue(request, () => response.writeContinue())
    server.emit('request', request, response)
  })
}

/** For a server that passes its requests to an app: `send` is called when the app wants the body. */
export function holdContinue(request: IncomingMessage, send: () => void): void {
  heldBack.set(request, send)
}

export const awaitsContinue = (request: IncomingMessage): boolean => heldBack.has(request)

/** To be called before a body is read: its client may be waiting for this. */
export function sendContinue(request: IncomingMessage): void {
  heldBack.get(request)?.()
  heldBack.delete(request)
}
