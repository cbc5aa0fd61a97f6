import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ReceivedRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
  at: number
}

export interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

/** An HTTP server for a test. `answer` returns the reply, or undefined to break the connection. */
export async function startServer(
  answer: (received: ReceivedRequest, index: number) => Reply | undefined | Promise<Reply | undefined>,
  address = '127.0.0.1',
) {
  const received: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://test')
    const { method, headers } = request
    const one = {
      method: method!,
      path: pathname,
      query: searchParams,
      headers,
      body: await text(request),
      at: Date.now(),
    }
    received.push(one)
    const reply = await answer(one, received.length - 1)
    if (reply) send(response, reply)
    else response.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const { port } = server.address() as AddressInfo
  return {
    server,
    port,
    url: `http://sandbox-1.localhost:${port}`,
    received,
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function send(response: ServerResponse, { status = 200, headers, body }: Reply): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
  response.end(body === undefined ? '' : isText ? body : JSON.stringify(body))
}

export const problem = (status: number, code: string, further: object = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: { type: 'about:blank', title: code, status, detail: `It is ${code}`, code, requestId: 'req-1', ...further },
})
