import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const JS = 'text/javascript'
export type Answer = readonly [status: number, type: string, body: string | Buffer]
export const script = (body: string): Answer => [200, JS, body]

/**
 * A hand-written remote entry of Module Federation: a container that exposes `./Shell` and uses the modules that the
 * shell shares.
 */
export const container = (shell: string): Answer =>
  script(`
    let shared
    export const init = (scope) => { shared = scope }
    const take = async (name) => {
      const [provider] = Object.values(shared[name])
      return (provider.lib ?? (await provider.get()))()
    }
    export const get = async (name) => {
      if (name !== './Shell') throw new Error('Module ' + name + ' does not exist in container.')
      const { createElement: h } = await take('react')
      const sdk = await take('@storey/sdk/module')
      return () => ({ default: ${shell} })
    }`)

export interface Remote {
  origin: string
  port: number
  /** The requests received so far. */
  requests: { url: string; headers: IncomingHttpHeaders }[]
  close(): Promise<void>
}

export interface RemoteOptions {
  /** The port of an earlier remote; by default a free one. */
  port?: number
  /** Whether pages of other origins may read the responses. */
  isOpen?: boolean
}

/** A server on loopback, as on a developer's machine, that answers with what `find` returns. */
export async function serveRemote(
  find: (path: string) => Answer | undefined,
  { port = 0, isOpen = true }: RemoteOptions = {},
): Promise<Remote> {
  const requests: Remote['requests'] = []
  const server: Server = createServer((request, response) => {
    const { url = '/', headers } = request
    requests.push({ url, headers })
    const [status, type, body] = find(url.split('?', 1)[0]!) ?? [404, 'text/plain', 'nothing here']
    const cors = isOpen && headers.origin ? { 'access-control-allow-origin': headers.origin } : {}
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-cache', ...cors }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: taken } = server.address() as AddressInfo
  return {
    origin: `http://localhost:${taken}`,
    port: taken,
    requests,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
