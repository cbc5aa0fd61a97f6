import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { Agent, request } from 'node:https'
import { connect as connectTls } from 'node:tls'

export interface Call {
  method?: string
  token?: string | undefined
  headers?: Record<string, string>
  body?: Buffer | string
}

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: checks read responses without a schema
  json: any
}

/** A client of the proxy: over HTTP/1.1 or HTTP/2, on one connection, from an address of its own. */
export interface Client {
  send(host: string, path: string, call?: Call): Promise<Reply>
  close(): void
}

export interface ClientOptions {
  port: number
  ca: string
  /** The address of the proxy; absent: 127.0.0.1. */
  address?: string
  /** A name of the proxy's certificate, for HTTP/2 connections; absent: localhost. */
  servername?: string
  /** The address of the client, such as 127.0.0.7. */
  localAddress?: string
}

const LOOPBACK = '127.0.0.1'
const CALL_LIMIT_MS = 60_000

function partsOf({ method, token, headers, body }: Call) {
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` }),
      ...headers,
    } as Record<string, string>,
    body,
  }
}

function replyOf(status: number, headers: IncomingHttpHeaders, chunks: Buffer[]): Reply {
  const body = Buffer.concat(chunks)
  const isJson = /json/.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined
  return { status, headers, body, json: isJson && body.length > 0 ? JSON.parse(body.toString()) : undefined }
}

export function http1({ port, ca, address = LOOPBACK, localAddress }: ClientOptions): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, ...(localAddress ? { localAddress } : {}) })
  return {
    close: () => agent.destroy(),
    send: (host, path, call = {}) =>
      new Promise((resolve, reject) => {
        const { method, headers, body } = partsOf(call)
        const [servername] = host.split(':')
        const options = { host: address, port, servername, path, method, headers: { host, ...headers }, agent }
        const asked = request({ ...options, timeout: CALL_LIMIT_MS }, (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () => {
            resolve(replyOf(answer.statusCode!, answer.headers as IncomingHttpHeaders, chunks))
            // If the response came instead of 100 Continue, the body was not sent, and the request is still open.
            if (!asked.writableEnded) asked.destroy()
          })
        })
        asked.on('timeout', () => asked.destroy(new Error('no response')))
        asked.on('error', reject)
        if (headers.expect === undefined) return void asked.end(body)
        // Caddy sends 100 Continue twice, its own and that of Storey.
        asked.once('continue', () => asked.end(body))
        asked.flushHeaders()
      }),
  }
}

/** Opens an HTTP/2 connection. It serves all hosts of the certificate, as in a browser. */
export async function openHttp2(options: ClientOptions): Promise<ClientHttp2Session> {
  const { port, ca, address = LOOPBACK, servername = 'localhost', localAddress } = options
  const tls = { port, host: address, ca, servername, ALPNProtocols: ['h2'] }
  const session = connectHttp2(`https://${servername}`, {
    // In MB. Node counts a body that waits to be sent, and above this limit it refuses the headers of the response.
    maxSessionMemory: 100,
    createConnection: () => connectTls({ ...tls, ...(localAddress ? { localAddress } : {}) } as object),
  })
  await Promise.race([
    once(session, 'connect'),
    once(session, 'close').then(() => Promise.reject(new Error('connection closed'))),
  ])
  session.on('error', () => undefined)
  return session
}

export function http2(options: ClientOptions): Client {
  let session: ClientHttp2Session | undefined
  const isUsable = () => session !== undefined && !session.closed && !session.destroyed
  return {
    close: () => session?.destroy(),
    async send(host, path, call = {}) {
      if (!isUsable()) {
        const opened = await openHttp2(options)
        // After GOAWAY streams in progress are completed, and new ones need a new connection.
        opened.once('goaway', () => {
          if (session === opened) session = undefined
          opened.close()
        })
        session = opened
      }
      const current = session!
      const { method, headers, body } = partsOf(call)
      return await new Promise<Reply>((resolve, reject) => {
        const stream = current.request(
          { ':method': method, ':path': path, ':authority': host, ...headers },
          { endStream: body === undefined },
        )
        stream.setTimeout(CALL_LIMIT_MS, () => stream.destroy(new Error('no response')))
        const chunks: Buffer[] = []
        let head: IncomingHttpHeaders = {}
        stream.on('response', (received) => {
          head = received
        })
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('error', (err) => (head[':status'] === undefined ? reject(err) : undefined))
        stream.on('end', () => {
          // The rest of a body that was refused is not sent.
          if (head[':status'] !== undefined) stream.close()
        })
        stream.on('close', () => {
          const status = head[':status'] as unknown as number | undefined
          if (status === undefined) reject(new Error('the stream closed without a response'))
          else resolve(replyOf(status, head, chunks))
        })
        if (body !== undefined) stream.end(body)
      })
    },
  }
}
