import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import * as http from 'node:http'
import * as https from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { createGunzip } from 'node:zlib'
import type { Connect, RequestBody } from './connect.ts'
import { isLoopbackName, resolveLoopback } from './resolve-loopback.ts'

/**
 * Idle connections are closed after this time, which is shorter than the idle timeout of servers. A request is lost if
 * the server closes the connection while the request is being sent.
 */
const IDLE_MS = 4_000
const kept = { keepAlive: true, timeout: IDLE_MS, autoSelectFamily: true, lookup: resolveLoopback }
const agents = { 'http:': new http.Agent(kept), 'https:': new https.Agent(kept) }

/**
 * Replaces Node's `fetch`, which does not resolve `*.localhost` on every system. In Node 20, the promise of `fetch`
 * also stays pending for ever when a connection ends before the request was sent.
 */
export const connect: Connect = async (url, { method, headers, body, signal }) => {
  const address = new URL(url)
  signal?.throwIfAborted()
  const options: RequestOptions = {
    method,
    headers: { 'accept-encoding': 'gzip', ...headers, ...lengthOf(body, method) },
    agent: agentFor(address),
    ...(signal ? { signal } : {}),
  }
  try {
    return toResponse(await responseOf(address, options, body))
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

/** Requests to names other than `localhost` and `*.localhost` use Node's global agents, which may use a proxy. */
function agentFor({ protocol, hostname }: URL): http.Agent {
  if (isLoopbackName(hostname)) return agents[protocol as keyof typeof agents]
  return protocol === 'https:' ? https.globalAgent : http.globalAgent
}

/** Options with which a Socket.IO client also resolves `*.localhost`. */
export function socketOptions(url: string): object {
  const { hostname, protocol } = new URL(url)
  const agent = agents[protocol as keyof typeof agents]
  return isLoopbackName(hostname) && agent ? { agent } : {}
}

function responseOf(address: URL, options: RequestOptions, body: RequestBody | undefined): Promise<IncomingMessage> {
  const { request } = address.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const sent = request(address, options, resolve)
    sent.on('error', reject)
    // Any other end of the request, such as a protocol upgrade, rejects the promise.
    sent.on('close', () => reject(Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })))
    send(sent, body).catch(reject)
  })
}

/**
 * Sends the body. If the server responds and then closes the connection before it has read the whole body, the returned
 * promise rejects, and the response is still used.
 */
async function send(sent: ClientRequest, body: RequestBody | undefined): Promise<void> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    sent.end(body)
    return
  }
  const stream = (body instanceof Blob ? body.stream() : body) as NodeReadableStream<Uint8Array>
  await pipeline(Readable.fromWeb(stream), sent)
}

function lengthOf(body: RequestBody | undefined, method: string): Record<string, string> {
  if (body === undefined) return method === 'GET' || method === 'HEAD' ? {} : { 'content-length': '0' }
  if (typeof body === 'string') return { 'content-length': String(Buffer.byteLength(body)) }
  if (body instanceof Uint8Array) return { 'content-length': String(body.byteLength) }
  return body instanceof Blob ? { 'content-length': String(body.size) } : {}
}

function toResponse(response: IncomingMessage): Response {
  const status = response.statusCode!
  const headers = new Headers()
  for (let i = 0; i < response.rawHeaders.length; i += 2)
    headers.append(response.rawHeaders[i]!, response.rawHeaders[i + 1]!)
  if (status === 204 || status === 205 || status === 304) {
    response.resume()
    return new Response(null, { status, headers })
  }
  return new Response(Readable.toWeb(unpacked(response)) as ReadableStream<Uint8Array>, { status, headers })
}

function unpacked(response: IncomingMessage): Readable {
  if (!/^(x-)?gzip$/i.test(response.headers['content-encoding'] ?? '')) return response
  const plain = createGunzip()
  // The reader of the body gets the error if either side of the pipe fails.
  pipeline(response, plain).catch(() => undefined)
  return plain
}
