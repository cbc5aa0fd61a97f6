import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { PROBLEM_MEDIA_TYPE, type Problem, problems } from '@storey/contract'
import { toProblem } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import type { Addresses } from '../addresses.ts'
import type { StackPool } from '../stacks/stack-pool.ts'
import type { Doors } from './doors.ts'
import { forward, forwardUpgrade } from './forward.ts'

export interface GatewayOptions {
  addresses: Addresses
  doors: Doors
  stacks: StackPool
  controlPlane(request: IncomingMessage, response: ServerResponse): void
  log: Log
}

/** The one door of the house: the host name says whose request it is. A host that nobody has gets 404 for anything. */
export function createGateway(options: GatewayOptions): Server {
  const { addresses, doors, stacks, controlPlane, log } = options
  const scheme = new URL(addresses.publicUrl).protocol.slice(0, -1)

  /** The running stack behind a slug, held until it is released. */
  async function enter(slug: string) {
    const row = await doors.find(slug)
    if (!row) throw problems.notFound('host')
    if (row.status === 'provisioning') throw problems.notReady('The sandbox is being provisioned', 2)
    if (row.status === 'failed') throw problems.notReady('The sandbox could not be made: reset or delete it', 60)
    return await stacks.use(row.id)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = addresses.resolveHost(request.headers.host)
    if (host.kind === 'control-plane') return controlPlane(request, response)
    const requestId = newRequestId()
    try {
      if (host.kind === 'unknown' || !request.url?.startsWith('/')) throw problems.notFound('host')
      const { stack, release } = await enter(host.slug)
      response.once('close', release)
      await forward(request, response, { stack, requestId, scheme })
    } catch (err) {
      const problem = toProblem(err)
      if (problem.code === 'INTERNAL') log.error({ err, requestId }, 'a request could not be passed on')
      if (response.headersSent || response.destroyed) return void response.destroy()
      const body = JSON.stringify(problem.toWire(requestId))
      response.writeHead(problem.status, { ...problem.headers, ...headersOf(requestId, body) }).end(body)
      request.resume()
    }
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const requestId = newRequestId()
    socket.on('error', () => socket.destroy())
    try {
      const host = addresses.resolveHost(request.headers.host)
      if (host.kind !== 'sandbox') throw problems.notFound('host')
      const { stack, release } = await enter(host.slug)
      socket.once('close', release)
      if (socket.destroyed) return release()
      await forwardUpgrade(request, socket, head, { stack, requestId, scheme })
    } catch (err) {
      refuseUpgrade(socket, toProblem(err), requestId)
    }
  }

  const server = createServer({ requestTimeout: 300_000, headersTimeout: 30_000, keepAliveTimeout: 65_000 })
  server.on('request', (request, response) => void answer(request, response))
  server.on('upgrade', (request, socket, head) => void upgrade(request, socket, head))
  return server
}

const newRequestId = () => `req_${randomUUID().replaceAll('-', '')}`

function headersOf(requestId: string, body: string): Record<string, string | number> {
  return { 'content-type': PROBLEM_MEDIA_TYPE, 'content-length': Buffer.byteLength(body), 'x-request-id': requestId }
}

function refuseUpgrade(socket: Duplex, problem: Problem, requestId: string): void {
  if (socket.destroyed) return
  const body = JSON.stringify(problem.toWire(requestId))
  const headers = { ...problem.headers, ...headersOf(requestId, body), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}
