import type { Socket } from 'node:net'
import { addressGroup, type ClientAddresses } from '@storey/kit/client-address'
import type { Callers } from './callers.ts'
import { Connection, type Exchange } from './connection.ts'

export interface ConnectionLimits {
  /** All connections. */
  total: number
  /** Connections of one address. Trusted proxies are exempt. */
  perAddress: number
}

/**
 * The limits if none are given, as in tests. The service uses the limits of `host/src/connection-limits.ts`. Twice
 * `total` file descriptors are needed, because each client connection can have a connection to a stack.
 */
export const CONNECTION_LIMITS: ConnectionLimits = { total: 4_000, perAddress: 400 }

export interface ConnectionsOptions {
  limits: ConnectionLimits
  callers: Callers
  clientAddresses: ClientAddresses
  serve(exchange: Exchange): void
  /** Called with the address of a client that floods its connection (see `onFlood` in `connection.ts`). */
  onFlood?(address: string): void
}

/**
 * The connections of one address, by kind, in the order of eviction. Within each kind, the connection that changed
 * least recently comes first.
 */
class AddressConnections {
  readonly kinds = [new Set<Connection>(), new Set<Connection>(), new Set<Connection>(), new Set<Connection>()] as const
  readonly isProxy: boolean
  /** The number of lent connections. They are in use or come back within seconds, so they are not evicted. */
  lent = 0

  constructor(isProxy: boolean) {
    this.isProxy = isProxy
  }

  get size(): number {
    const [idleUnauthenticated, busyUnauthenticated, idleCallers, busyCallers] = this.kinds
    return idleUnauthenticated.size + busyUnauthenticated.size + idleCallers.size + busyCallers.size + this.lent
  }

  classify(connection: Connection): void {
    this.remove(connection)
    this.kinds[kindOf(connection)].add(connection)
  }

  remove(connection: Connection): void {
    for (const kind of this.kinds) kind.delete(connection)
  }

  /**
   * The order is: idle unauthenticated connections (no request is in progress, or its head has not arrived completely),
   * busy unauthenticated connections, idle connections of callers. Busy connections of callers are never evicted.
   */
  nextToEvict(): Connection | undefined {
    for (const kind of this.kinds.slice(0, BUSY_CALLER)) for (const connection of kind) return connection
    return undefined
  }
}

const [IDLE_UNAUTHENTICATED, BUSY_UNAUTHENTICATED, IDLE_CALLER, BUSY_CALLER] = [0, 1, 2, 3] as const

function kindOf({ isCaller, isBusy }: Connection): 0 | 1 | 2 | 3 {
  if (isCaller) return isBusy ? BUSY_CALLER : IDLE_CALLER
  return isBusy ? BUSY_UNAUTHENTICATED : IDLE_UNAUTHENTICATED
}

/**
 * All client connections, up to the limits. If an address has reached its limit, a new connection evicts another
 * connection of this address. If the total limit is reached, a new connection evicts a connection of the address with
 * the most connections; connections of trusted proxies are evicted last. `nextToEvict` defines the order within an
 * address. So a client that opens many connections mostly evicts its own, and a caller's request is never interrupted.
 */
export function createConnections({ limits, clientAddresses, callers, serve, onFlood }: ConnectionsOptions) {
  const pipelined = { count: 0 }
  const all = new Map<Socket, Connection>()
  const addresses = new Map<string, AddressConnections>()
  let lent = 0

  function isRefused(sameAddress: AddressConnections | undefined): boolean {
    if (sameAddress && !sameAddress.isProxy && sameAddress.size >= limits.perAddress) return !evictFrom(sameAddress)
    if (all.size + lent < limits.total) return false
    let fullest: AddressConnections | undefined
    let most = -1
    for (const one of addresses.values()) {
      const own = weight(one)
      if (own <= most || !one.nextToEvict()) continue
      fullest = one
      most = own
    }
    return fullest === undefined || !evictFrom(fullest)
  }

  /** A proxy's connections belong to many clients, so they are evicted last. */
  const weight = ({ isProxy, size }: AddressConnections) => (isProxy ? 0 : size)

  function evictFrom(sameAddress: AddressConnections): boolean {
    const gone = sameAddress.nextToEvict()
    if (gone === undefined) return false
    remove(gone)
    gone.socket.resetAndDestroy()
    return true
  }

  function remove(connection: Connection): void {
    if (!all.delete(connection.socket)) return
    const sameAddress = addresses.get(connection.address)
    sameAddress?.remove(connection)
    if (sameAddress?.size === 0) addresses.delete(connection.address)
  }

  return {
    /** Adds a connection. Destroys it if a limit is reached and no other connection can be evicted. */
    add(socket: Socket): void {
      const peer = socket.remoteAddress ?? ''
      const isProxy = clientAddresses.isTrustedProxy(peer)
      // A proxy counts by its own address, so that another host in the same IPv6 network does not count as the proxy.
      const address = isProxy ? `proxy ${peer}` : addressGroup(peer)
      if (isRefused(addresses.get(address))) return void socket.destroy()
      const sameAddress = addresses.get(address) ?? new AddressConnections(isProxy)
      addresses.set(address, sameAddress)
      const connection = new Connection(socket, address, {
        callers,
        pipelined,
        serve,
        onFlood: () => onFlood?.(peer),
        onChange: (changed) => void (all.has(socket) && sameAddress.classify(changed)),
      })
      all.set(socket, connection)
      sameAddress.classify(connection)
      socket.once('close', () => remove(connection))
    },
    /**
     * Removes a connection that a stack serves from now on. It still counts towards the limits, until the returned
     * function is called.
     */
    lend(connection: Connection): () => void {
      const sameAddress = addresses.get(connection.address)!
      sameAddress.lent++
      lent++
      remove(connection)
      return () => {
        sameAddress.lent--
        lent--
        if (sameAddress.size === 0) addresses.delete(connection.address)
      }
    },
    /**
     * Counts the client of a connection as a caller from now on. For connections on which the gateway sees no response of
     * a stack, which would show that the credential is valid.
     */
    keepAsCaller(connection: Connection): void {
      callers.keep(connection.socket)
      if (all.has(connection.socket)) addresses.get(connection.address)?.classify(connection)
    },
    of: (socket: object): Connection | undefined => all.get(socket as Socket),
    sockets: (): Iterable<Socket> => all.keys(),
    all: (): Iterable<Connection> => all.values(),
    /** Whether the connection comes from a trusted proxy. */
    isProxy: ({ address }: Connection): boolean => addresses.get(address)?.isProxy === true,
    get size() {
      return all.size + lent
    },
  }
}

export type Connections = ReturnType<typeof createConnections>
