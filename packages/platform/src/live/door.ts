import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { LIVE_TARGET, SIGNED_IN_HEADER } from '@storey/contract'
import { sendContinue } from '@storey/kit/http'
import type { Origins } from './origins.ts'

/** What answers behind the door. */
export interface Engine {
  /** Whether a new connection finds room. */
  hasRoom(): boolean
  /** Whether a connection, by the id in its polls, belongs to a signed-in caller. */
  isCaller(sid: string): boolean
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export interface DoorOptions {
  origins: Origins
  /** Undefined once the channel is closing. */
  engine(): Promise<Engine> | Engine | undefined
}

const isLive = ({ url = '' }: IncomingMessage): boolean => LIVE_TARGET.test(url)
/** The engine would accept an upgrade of another version, and refuse it in the new protocol. */
const isKnownVersion = ({ url = '' }: IncomingMessage): boolean =>
  new URLSearchParams(url.slice(url.indexOf('?') + 1)).getAll('EIO').at(-1) === '4'
const sidOf = ({ url = '' }: IncomingMessage): string | undefined => /[?&]sid=([^&]*)/.exec(url)?.[1]

/** Connections that the gateway handed over for an upgrade: nothing else is served on them. */
const handedOver = new WeakSet<object>()

/**
 * Takes a connection with an upgrade that the gateway wrote. Whatever follows it there came past the gateway, and is
 * never read as a request.
 */
export function acceptUpgrade(server: Server, socket: Duplex): void {
  handedOver.add(socket)
  server.emit('connection', socket)
}

/**
 * The way to the live channel, on the server of the platform API. Each request shows its origin anew, since a page may
 * have begun by one way and go on by the other; a refused one gets its status and not a word.
 */
export function openDoor(server: Server, { origins, engine }: DoorOptions): void {
  /** A status to refuse with, or who answers. */
  async function pass(request: IncomingMessage): Promise<number | Engine> {
    if (!origins(request.headers.origin)) return 403
    const found = await engine()
    if (found === undefined || (sidOf(request) === undefined && !found.hasRoom())) return 503
    // The engine knows one path.
    request.url = request.url!.replace(LIVE_TARGET, '/socket.io/')
    return found
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const passed = await pass(request)
    response.setHeader('vary', 'Origin')
    if (typeof passed === 'number') return void response.writeHead(passed, { 'content-length': 0 }).end()
    const { origin } = request.headers
    if (origin !== undefined) response.setHeader('access-control-allow-origin', origin)
    if (request.method === 'OPTIONS') return void response.writeHead(204, PREFLIGHT).end()
    if (request.method !== 'GET' && request.method !== 'POST') return void response.writeHead(405, ALLOW).end()
    // Such polls bear no credential themselves: the gateway keeps their connections as it keeps those of callers.
    if (passed.isCaller(sidOf(request) ?? '')) response.setHeader(SIGNED_IN_HEADER, '1')
    sendContinue(request)
    passed.handleRequest(request, response)
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const passed = isLive(request) ? await pass(request) : 404
    if (typeof passed === 'number') return refuse(socket, passed)
    if (!isKnownVersion(request)) return refuse(socket, 400)
    passed.handleUpgrade(request, socket, head)
  }

  const others = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (handedOver.has(request.socket)) request.socket.destroy()
    else if (isLive(request)) answer(request, response).catch(() => response.destroy())
    else for (const listener of others) listener.call(server, request, response)
  })
  server.on('upgrade', (request, socket, head) => {
    upgrade(request, socket, head).catch(() => socket.destroy())
  })
  // An upgrade of anything else is an offer that is passed over: the request behind it is answered as it is.
  Object.assign(server, { shouldUpgradeCallback: isLive })
}

function refuse(socket: Duplex, status: number): void {
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
}
const ALLOW = { allow: 'GET, POST, OPTIONS', 'content-length': '0' }
