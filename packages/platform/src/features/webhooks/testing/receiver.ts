import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: a test reads fields of any body.
  json: any
}

/** Responds to a request. If it does not respond, the request hangs. */
export type Answering = (received: Received, response: ServerResponse) => void

/** A receiver on a port of the loopback interface. */
export interface Receiver {
  url: string
  /** The requests, in order. */
  received: Received[]
  answer(how: Answering): void
  /** Resolves when this many requests have arrived. */
  waitFor(count: number): Promise<Received[]>
  close(): Promise<void>
}

export const answering =
  (status: number, body = '', headers: Record<string, string> = {}): Answering =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

export async function startReceiver(how: Answering = answering(200)): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  let answer = how
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const { method = '', url = '', headers } = request
    const came = { method, path: url, headers, body, json: JSON.parse(body.toString('utf8')) }
    received.push(came)
    answer(came, response)
    for (const check of waiting) check()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    received,
    answer(next) {
      answer = next
    },
    waitFor: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return
          waiting.delete(check)
          resolve(received)
        }
        waiting.add(check)
        check()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
