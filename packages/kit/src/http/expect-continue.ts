import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Requests whose clients wait for `100 Continue` before they send their body. */
const heldBack = new WeakMap<IncomingMessage, () => void>()

/** Lets a server check the head of a request before it sends 100 Continue; by default Node sends it immediately. */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    holdContinue(request, () => response.writeContinue())
    server.emit('request', request, response)
  })
}

/** Holds back the 100 Continue of a request. `send` is called when the app begins to read the body. */
export function holdContinue(request: IncomingMessage, send: () => void): void {
  heldBack.set(request, send)
}

export const awaitsContinue = (request: IncomingMessage): boolean => heldBack.has(request)

/** Call this before reading the body of a request: the client may be waiting for 100 Continue. */
export function sendContinue(request: IncomingMessage): void {
  heldBack.get(request)?.()
  heldBack.delete(request)
}
