import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { AddressRefused, OutboundFailed, type Progress } from './errors.ts'
import type { Target } from './target.ts'

export interface OutboundRequest {
  method: 'POST'
  headers: Record<string, string>
  body: Buffer
  /** For all of it: finding the host, connecting, sending, and the whole answer. */
  timeoutMs: number
  /** Of the answer's body; what comes beyond is not waited for. */
  maxBytes: number
}

export interface OutboundAnswer {
  status: number
  /** At most maxBytes. */
  body: Buffer
}

/** One request to one address. A redirect is an answer like any other. */
export function exchange(
  agents: Record<Target['protocol'], http.Agent>,
  target: Target,
  address: string,
  request: OutboundRequest,
  timeoutMs: number,
): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = (target.protocol === 'https:' ? https : http).request({
      agent: agents[target.protocol],
      // An address: nothing is resolved from here on.
      host: address,
      port: target.port,
      // The certificate must be for the name, or for the address when the url has no name.
      ...(target.protocol === 'https:' && { servername: target.isAddress ? '' : target.hostname }),
      method: request.method,
      path: target.path,
      headers: { ...request.headers, host: target.authority, 'content-length': request.body.length },
    })
    const timer = setTimeout(() => fail({ code: 'ETIMEDOUT' }), Math.max(1, timeoutMs))
    let socket: Socket | undefined
    let settled = false
    let connected = false
    let readBefore = 0

    function progress(code: string): Progress {
      if (socket === undefined || !connected) return 'not_connected'
      const silent = socket.bytesRead === readBefore
      return outgoing.reusedSocket && silent && (code === 'ECONNRESET' || code === 'EPIPE') ? 'stale_socket' : 'sent'
    }

    /** True once. */
    function settle(): boolean {
      if (settled) return false
      clearTimeout(timer)
      settled = true
      return true
    }

    function fail(err: { code?: string }): void {
      if (!settle()) return
      const code = err.code ?? 'EUNKNOWN'
      reject(err instanceof AddressRefused ? err : new OutboundFailed(code, progress(code)))
      outgoing.destroy()
    }

    function succeed(status: number, chunks: Buffer[], whole: boolean): void {
      if (!settle()) return
      resolve({ status, body: Buffer.concat(chunks).subarray(0, request.maxBytes) })
      // A receiver that answers without having read the request would hold on to the rest of it.
      if (!whole || !outgoing.writableFinished) outgoing.destroy()
    }

    outgoing.on('error', fail)
    // Some ends are no error to the library, such as an upgrade that nobody asked for.
    outgoing.on('close', () => fail({ code: 'ECONNRESET' }))
    outgoing.on('socket', (opened) => {
      socket = opened
      readBefore = opened.bytesRead
      connected = !opened.connecting
      if (!connected) opened.once('connect', () => (connected = true))
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
