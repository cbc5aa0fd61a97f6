export interface UnauthenticatedLimits {
  total: number
  perAddress: number
}

/**
 * Connections without a token so far. Most sign in a moment later, some never do. At the limit of an address the oldest
 * connection of that address is closed; at the total limit, the oldest of the address with the most connections. So
 * these limits refuse no new connection, and the fewer connections there are, the more time each has to sign in.
 */
export function createUnauthenticatedConnections<Connection extends object>(
  limits: UnauthenticatedLimits,
  cut: (one: Connection) => void,
) {
  const addresses = new Map<string, Set<Connection>>()
  const addressOf = new Map<Connection, string>()

  function remove(connection: Connection): void {
    const address = addressOf.get(connection)
    if (address === undefined) return
    addressOf.delete(connection)
    const those = addresses.get(address)!
    those.delete(connection)
    if (those.size === 0) addresses.delete(address)
  }

  function cutOldest(those: Set<Connection> | undefined): void {
    const [oldest] = those ?? []
    if (oldest === undefined) return
    remove(oldest)
    cut(oldest)
  }

  function fullest(): Set<Connection> | undefined {
    let found: Set<Connection> | undefined
    for (const those of addresses.values()) if (those.size > (found?.size ?? 0)) found = those
    return found
  }

  return {
    get count() {
      return addressOf.size
    },
    add(connection: Connection, address: string): void {
      if ((addresses.get(address)?.size ?? 0) >= limits.perAddress) cutOldest(addresses.get(address))
      else if (addressOf.size >= limits.total) cutOldest(fullest())
      const those = addresses.get(address) ?? new Set()
      addresses.set(address, those.add(connection))
      addressOf.set(connection, address)
    },
    /** Call when the connection has sent a token or has closed. */
    remove,
    /** Closes a connection without a token to make way for a new one of any kind; false when there is none. */
    evictOldest(): boolean {
      const those = fullest()
      cutOldest(those)
      return those !== undefined
    },
  }
}
