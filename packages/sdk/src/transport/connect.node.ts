import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import * as http from 'node:http'
import * as https from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { Connect, ConnectInit, RequestBody } from './connect.ts'

/** Whatever the system says of names below localhost, they are this machine; of its two addresses the older first. */
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
const lookup: LookupFunction = (_hostname, { all }, found) => {
  if (all) found(null, LOOPBACK)
  else found(null, LOOPBACK[0]!.address, LOOPBACK[0]!.family)
}
/** Shorter than servers keep an idle connection: one that just ends on the other side would lose a request. */
const IDLE_MS = 4_000
const kept = { keepAlive: true, timeout: IDLE_MS, autoSelectFamily: true, lookup }
const agents = { 'http:': new http.Agent(kept), 'https:': new https.Agent(kept) }

const isLoopbackName = (hostname: string): boolean => hostname === 'localhost' || hostname.endsWith('.localhost')

/** `fetch`, and a small one of our own for names below localhost, which Node does not resolve everywhere. */
export const connect: Connect = (url, init) => {
  const address = new URL(url)
  return isLoopbackName(address.hostname) ? connectLoopback(address, init) : globalThis.fetch(url, init)
}

/** What a Socket.IO client needs to find the same addresses. */
export function socketOptions(url: string): object {
  const { hostname, protocol } = new URL(url)
  const agent = agents[protocol as keyof typeof agents]
  return isLoopbackName(hostname) && agent ? { agent } : {}
}

async function connectLoopback(address: URL, { method, headers, body, signal }: ConnectInit): Promise<Response> {
  signal?.throwIfAborted()
  const { request } = address.protocol === 'https:' ? https : http
  const options: RequestOptions = {
    method,
    headers: { ...headers, ...lengthOf(body, method) },
    agent: agents[address.protocol as keyof typeof agents],
    ...(signal ? { signal } : {}),
  }
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(address, options, resolve)
      sent.on('error', reject)
      send(sent, body).catch(reject)
    })
    return toResponse(answer)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

/** A server may answer and close before it has read a body to its end: an answer that came is what counts. */
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

function toResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode!
  const headers = new Headers()
  for (let i = 0; i < answer.rawHeaders.length; i += 2) headers.append(answer.rawHeaders[i]!, answer.rawHeaders[i + 1]!)
  if (status === 204 || status === 304) {
    answer.resume()
    return new Response(null, { status, headers })
  }
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers })
}
