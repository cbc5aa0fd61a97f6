import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { LIVE_ROUTE, LIVE_TARGET, ROUTE_HEADER, SIGNED_IN_HEADER } from '@storey/contract'
import { sendContinue } from '@storey/kit/http'
import type { Origins } from './origins.ts'

/** The Socket.IO server behind the endpoint. */
export interface Engine {
  /** Whether a new connection can be accepted. */
  hasCapacity(): boolean
  /** Whether a session id of polling belongs to a signed-in caller. */
  isCaller(sid: string): boolean
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export interface EndpointOptions {
  origins: Origins
  /** Undefined once the channel is closing. */
  engine(): Promise<Engine> | Engine | undefined
}

const isLive = ({ url = '' }: IncomingMessage): boolean => LIVE_TARGET.test(url)
/**
 * Whether the client uses version 4 of the Engine.IO protocol. Checked before an upgrade, because the engine checks the
 * version only after it has completed the upgrade.
 */
const isKnownVersion = (request: IncomingMessage): boolean => queryOf(request).getAll('EIO').at(-1) === '4'
/**
 * Whether a request is JSONP. JSONP requests are refused: the engine would answer with a script, which a page of any
 * origin can run, and which the browser requests without an Origin header.
 */
const isJsonp = (request: IncomingMessage): boolean => queryOf(request).has('j')
const queryOf = ({ url = '' }: IncomingMessage) => new URLSearchParams(url.slice(url.indexOf('?') + 1))
/** The session id as the engine reads it: the last one counts, and an empty one begins a new connection. */
const sidOf = (request: IncomingMessage): string | undefined => queryOf(request).getAll('sid').at(-1) || undefined

/** Connections that the gateway transferred for an upgrade. Nothing else is served on them. */
const transferred = new WeakSet<object>()

/**
 * Accepts a transferred connection with its upgrade request. Later requests on the connection bypass the gateway, so
 * they are not served.
 */
export function acceptUpgrade(server: Server, socket: Duplex): void {
  transferred.add(socket)
  server.emit('connection', socket)
}

/**
 * Serves the live channel on the server of the platform API. The origin of every request is checked, since a page can
 * begin with polling and continue with a WebSocket. A refusal has a status and no body.
 */
export function attachEndpoint(server: Server, { origins, engine }: EndpointOptions): void {
  /** The status of a refusal, or the engine that serves the request. */
  async function resolve(request: IncomingMessage): Promise<number | Engine> {
    if (!origins(request.headers.origin)) return 403
    if (isJsonp(request)) return 400
    const found = await engine()
    if (found === undefined || (sidOf(request) === undefined && !found.hasCapacity())) return 503
    // The engine serves only this path.
    request.url = request.url!.replace(LIVE_TARGET, '/socket.io/')
    return found
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = await resolve(request)
    response.setHeader('vary', 'Origin')
    response.setHeader(ROUTE_HEADER, LIVE_ROUTE)
    if (typeof target === 'number') return void response.writeHead(target, { 'content-length': 0 }).end()
    const { origin } = request.headers
    if (origin !== undefined) response.setHeader('access-control-allow-origin', origin)
    if (request.method === 'OPTIONS') return void response.writeHead(204, PREFLIGHT_HEADERS).end()
    if (request.method !== 'GET' && request.method !== 'POST') return void response.writeHead(405, ALLOW_HEADERS).end()
    // A poll has a session id and no credential. This header tells the gateway that a caller sent the poll.
    if (target.isCaller(sidOf(request) ?? '')) response.setHeader(SIGNED_IN_HEADER, '1')
    sendContinue(request)
    target.handleRequest(request, response)
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const target = isLive(request) ? await resolve(request) : 404
    if (typeof target === 'number') return refuse(socket, target)
    if (!isKnownVersion(request)) return refuse(socket, 400)
    target.handleUpgrade(request, socket, head)
  }

  const others = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (transferred.has(request.socket)) request.socket.destroy()
    else if (isLive(request)) answer(request, response).catch(() => response.destroy())
    else for (const listener of others) listener.call(server, request, response)
  })
  server.on('upgrade', (request, socket, head) => {
    upgrade(request, socket, head).catch(() => socket.destroy())
  })
  // Any other upgrade is ignored: its request is answered like a request without an upgrade.
  Object.assign(server, { shouldUpgradeCallback: isLive })
}

function refuse(socket: Duplex, status: number): void {
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
}
const ALLOW_HEADERS = { allow: 'GET, POST, OPTIONS', 'content-length': '0' }
