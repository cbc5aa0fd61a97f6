import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as open,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { INTERNAL_KEY_HEADER } from '@storey/contract'
import type { RunningStack } from '../stacks/stack-runtime.ts'
import { endWhenRead } from './end-when-read.ts'

/** Headers that speak of one connection only (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that only the gateway may write. */
const OURS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
  INTERNAL_KEY_HEADER,
]

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 64 })

export interface Passage {
  stack: RunningStack
  requestId: string
  scheme: string
  clientAddress: string
  silenceLimitMs: number
}

/** The stack ended before it answered. */
export class StackGone extends Error {}
/** The stack got the whole request, and says nothing. */
export class StackSilent extends Error {}

/** Passes a request on to its stack and the answer back, both as streams. Throws as long as nothing was answered. */
export async function forward(request: IncomingMessage, response: ServerResponse, passage: Passage): Promise<void> {
  const upstream = open({ ...target(request, passage), agent })
  const gone = () => upstream.destroy()
  response.once('close', gone)
  try {
    const answer = await firstAnswer(request, upstream, passage.silenceLimitMs)
    response.writeHead(answer.statusCode!, answer.statusMessage, endToEnd(answer.headers))
    await pipeline(answer, response, { end: false })
    // Answered before all was sent: the stack wants no more of it.
    if (!request.complete) {
      request.unpipe(upstream)
      upstream.destroy()
    }
    await endWhenRead(request, response)
  } catch (err) {
    if (response.headersSent) response.destroy()
    else if (!response.destroyed) throw err instanceof StackSilent ? err : new StackGone()
  } finally {
    response.off('close', gone)
    if (!request.complete) request.unpipe(upstream).resume()
  }
}

function firstAnswer(
  request: IncomingMessage,
  upstream: ClientRequest,
  silenceLimitMs: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const end = () => clearTimeout(timer)
    upstream.once('response', (answer) => {
      end()
      resolve(answer)
    })
    upstream.once('error', (err) => {
      end()
      reject(err)
    })
    // The time to send is the client's; the time to answer, from here on, is the stack's.
    upstream.once('finish', () => {
      timer = setTimeout(() => {
        reject(new StackSilent())
        upstream.destroy()
      }, silenceLimitMs)
    })
    request.pipe(upstream)
  })
}

/** Passes an upgrade on, and then everything either side sends, until one of them ends. */
export async function forwardUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  passage: Passage,
): Promise<void> {
  const upstream = open({ ...upgradeTarget(request, passage), agent: false })
  socket.once('close', () => upstream.destroy())
  await new Promise<void>((resolve, reject) => {
    upstream.once('error', reject)
    upstream.once('upgrade', (answer, other, otherHead) => {
      socket.write(rawHead(answer))
      if (otherHead.length > 0) socket.write(otherHead)
      if (head.length > 0) other.write(head)
      socket.once('error', () => other.destroy())
      other.once('error', () => socket.destroy())
      socket.once('close', () => other.destroy())
      other.once('close', () => {
        socket.destroy()
        resolve()
      })
      socket.pipe(other).pipe(socket)
    })
    upstream.once('response', (answer) => {
      socket.write(rawHead(answer))
      pipeline(answer, socket).then(resolve, reject)
    })
    upstream.end()
  })
}

/** An upgrade as bytes, with what the client sent behind it, for a stack that takes the connection itself. */
export function rawUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, passage: Passage): Buffer {
  const { method, path, headers } = upgradeTarget(request, passage)
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => `${name}: ${value}\r\n`),
  )
  const text = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(text, 'latin1'), head, socket.read() ?? Buffer.alloc(0)])
}

function upgradeTarget(request: IncomingMessage, passage: Passage) {
  const options = target(request, passage)
  return { ...options, headers: { ...options.headers, connection: 'Upgrade', upgrade: request.headers.upgrade } }
}

function target(request: IncomingMessage, { stack, requestId, scheme, clientAddress }: Passage) {
  return {
    host: stack.host,
    port: stack.port,
    method: request.method,
    path: request.url,
    headers: {
      ...endToEnd(request.headers, OURS),
      'x-request-id': requestId,
      'x-forwarded-for': clientAddress,
      'x-forwarded-host': request.headers.host,
      'x-forwarded-proto': scheme,
    },
  }
}

function endToEnd(headers: IncomingHttpHeaders, without: readonly string[] = []): IncomingHttpHeaders {
  const left = new Set([...without, ...(headers.connection ?? '').toLowerCase().split(/\s*,\s*/)])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !left.has(name)))
}

function rawHead(answer: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`]
  for (let i = 0; i < answer.rawHeaders.length; i += 2)
    lines.push(`${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
