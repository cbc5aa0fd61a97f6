import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what came as a receiver does.
  json: any
}

/** How to answer a request; without an answer it hangs. */
export type Answering = (received: Received, response: ServerResponse) => void

/** Somebody's server, on a port of the loopback interface. */
export interface Receiver {
  url: string
  /** What came, in order. */
  received: Received[]
  answer(how: Answering): void
  /** So many have come. */
  heard(count: number): Promise<Received[]>
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
    for (const look of waiting) look()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    received,
    answer(next) {
      answer = next
    },
    heard: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return
          waiting.delete(look)
          resolve(received)
        }
        waiting.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
