import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'

/**
 * A proxy that terminates TLS and forwards the client's address. If `answer` returns true, it has handled the request.
 */
export async function startTlsProxy(
  port: number,
  target: number,
  { key, cert }: { key: string; cert: string },
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<Server> {
  const proxy = createServer({ key, cert }, (incoming, outgoing) => {
    if (answer(incoming, outgoing)) return
    const { method, url: path, headers } = incoming
    const earlier = headers['x-forwarded-for'] === undefined ? [] : [headers['x-forwarded-for']].flat()
    const forwarded = [...earlier, incoming.socket.remoteAddress].join(', ')
    const upstream = request(
      { host: '127.0.0.1', port: target, method, path, headers: { ...headers, 'x-forwarded-for': forwarded } },
      (reply) => {
        outgoing.writeHead(reply.statusCode!, reply.headers)
        reply.pipe(outgoing)
      },
    )
    upstream.on('error', () => outgoing.destroy())
    incoming.pipe(upstream)
  })
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
  return proxy
}
