import http from 'node:http'
import https from 'node:https'
import { Socket } from 'node:net'
import { sameAddress } from '../client-address/index.ts'
import { AddressRefused } from './errors.ts'

/**
 * Pools sockets by address, port and, for https, the name in the certificate, so that a request only uses a connection
 * to the address that was checked for it.
 */
export interface Agents {
  /** Reuses open sockets. */
  kept: Record<'https:' | 'http:', http.Agent>
  /** Opens a socket for one request. */
  fresh: Record<'https:' | 'http:', http.Agent>
  /** Closes all sockets, including those in use. */
  close(): void
}

export function createAgents(idleMs: number): Agents {
  // This is Node's default. It is set here because an environment variable can change the default.
  const always = { rejectUnauthorized: true }
  const keep = { keepAlive: true, timeout: idleMs, scheduling: 'lifo' as const }
  const kept = { 'https:': new TlsAgent({ ...always, ...keep }), 'http:': new PlainAgent(keep) }
  const fresh = { 'https:': new TlsAgent(always), 'http:': new PlainAgent() }
  return {
    kept,
    fresh,
    close: () => {
      for (const agent of [...Object.values(kept), ...Object.values(fresh)]) agent.destroy()
    },
  }
}

class PlainAgent extends http.Agent {
  override createConnection(...[options, callback]: Parameters<http.Agent['createConnection']>) {
    return expectPeer(super.createConnection(options, callback), options.host)
  }
}

class TlsAgent extends https.Agent {
  override createConnection(...[options, callback]: Parameters<https.Agent['createConnection']>) {
    return expectPeer(super.createConnection(options, callback), options.host)
  }
}

/** Verifies the peer address before anything is sent. */
function expectPeer<T>(socket: T, address: string | null | undefined): T {
  if (!(socket instanceof Socket)) throw new Error('the agent did not create a socket')
  socket.prependOnceListener('connect', () => {
    const peer = socket.remoteAddress
    // If the other end has closed the connection already, there is no address to compare.
    if (peer === undefined) socket.destroy(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    else if (!sameAddress(peer, address ?? '')) socket.destroy(new AddressRefused('private_address'))
  })
  return socket
}
