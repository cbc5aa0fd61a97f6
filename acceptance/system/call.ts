import { type Agent, request } from 'node:http'
import { request as requestOverTls } from 'node:https'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without a schema
  json: any
}

export interface CallOptions {
  method?: string
  token?: string
  headers?: Record<string, string>
  /** An object is sent as JSON, text and bytes as they are. */
  body?: unknown
  /**
   * The agent that opens the connection, such as one of `node:https` with the certificate of a private certificate
   * authority. If absent, the call opens a connection of its own.
   */
  agent?: Agent
}

/** Sends one request. For names below localhost it connects to 127.0.0.1, because not every system resolves them. */
export function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const { protocol, hostname, port, pathname, search, host } = new URL(url)
  const raw = typeof options.body === 'string' || Buffer.isBuffer(options.body)
  const body = options.body === undefined ? undefined : raw ? (options.body as string) : JSON.stringify(options.body)
  const headers = {
    host,
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const method = options.method ?? (body === undefined ? 'GET' : 'POST')
    const loopback = hostname.endsWith('localhost') ? '127.0.0.1' : hostname
    const send = protocol === 'https:' ? requestOverTls : request
    const call = send(
      { host: loopback, port, path: pathname + search, method, headers, agent: options.agent ?? false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const isJson = /json/.test(response.headers['content-type'] ?? '')
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            text,
            json: isJson ? JSON.parse(text) : undefined,
          })
        })
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}
