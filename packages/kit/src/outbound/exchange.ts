import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { AddressRefused, OutboundFailed, type Progress } from './errors.ts'
import type { Target } from './target.ts'

export interface OutboundRequest {
  method: 'POST'
  headers: Record<string, string>
  body: Buffer
  /** The time limit for everything: resolving, connecting, sending, and the whole response. */
  timeoutMs: number
  /** The maximum size of the response body; the rest is not read. */
  maxBytes: number
}

export interface OutboundAnswer {
  status: number
  /** The response body, cut at `maxBytes`. */
  body: Buffer
}

/**
 * Each interim response is parsed in the main thread, and a receiver may send them without end. Usually there is none
 * or one.
 */
const MAX_INTERIM_RESPONSES = 10

/**
 * Calls back after two turns of the event loop. In these turns Node reads what has arrived: the head of a response, and
 * its end.
 */
const afterReads = (then: () => void): void => void setImmediate(() => setImmediate(then))

/** Sends one request to one address. A redirect is returned like any other response. */
export function exchange(
  agents: Record<Target['protocol'], http.Agent>,
  target: Target,
  address: string,
  request: OutboundRequest,
  timeoutMs: number,
): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const options: https.RequestOptions = {
      agent: agents[target.protocol],
      // The host is the checked address and not the name, so that nothing is resolved again.
      host: address,
      port: target.port,
      method: request.method,
      path: target.path,
      headers: { ...request.headers, host: target.authority, 'content-length': request.body.length },
    }
    // The certificate must be for the name, or for the address when the url has no name.
    if (target.protocol === 'https:') options.servername = target.isAddress ? '' : target.hostname
    const outgoing = (target.protocol === 'https:' ? https : http).request(options)
    // After this process was suspended, the timer fires before the sockets are read. So a response that has
    // arrived in time is read first.
    const timer = setTimeout(() => afterReads(() => fail({ code: 'ETIMEDOUT' })), Math.max(1, Math.ceil(timeoutMs)))
    let socket: Socket | undefined
    let settled = false
    let connected = false
    let readBefore = 0
    let interim = 0

    function progress(code: string): Progress {
      if (socket === undefined || !connected) return 'not_connected'
      const silent = socket.bytesRead === readBefore
      return outgoing.reusedSocket && silent && (code === 'ECONNRESET' || code === 'EPIPE') ? 'stale_socket' : 'sent'
    }

    /** True at the first call only, because a request can end in several ways. */
    function finishOnce(): boolean {
      if (settled) return false
      clearTimeout(timer)
      settled = true
      return true
    }

    function fail(err: { code?: string }): void {
      if (!finishOnce()) return
      const code = err.code ?? 'EUNKNOWN'
      reject(err instanceof AddressRefused ? err : new OutboundFailed(code, progress(code)))
      outgoing.destroy()
    }

    function succeed(status: number, chunks: Buffer[], whole: boolean): void {
      if (!finishOnce()) return
      resolve({ status, body: Buffer.concat(chunks).subarray(0, request.maxBytes) })
      // If the receiver responds before the whole request is sent, the rest of the request is not sent.
      if (!whole || !outgoing.writableFinished) outgoing.destroy()
    }

    outgoing.on('error', fail)
    // Node reports no error for some endings, such as an upgrade that was not requested.
    outgoing.on('close', () => fail({ code: 'ECONNRESET' }))
    outgoing.on('socket', (opened) => {
      socket = opened
      readBefore = opened.bytesRead
      connected = !opened.connecting
      if (!connected) opened.once('connect', () => (connected = true))
    })
    outgoing.on('information', () => {
      if (++interim > MAX_INTERIM_RESPONSES) fail({ code: 'EINTERIM' })
    })
    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0
      const chunks: Buffer[] = []
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes >= request.maxBytes) succeed(status, chunks, false)
      })
      incoming.on('end', () => succeed(status, chunks, true))
      incoming.on('error', fail)
    })
    outgoing.end(request.body)
  })
}
