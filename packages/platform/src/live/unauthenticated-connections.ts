export interface UnauthenticatedLimits {
  total: number
  perAddress: number
}

/**
 * Connections that have not sent a token yet. Most sign in a moment later, some never do. At the limit of an address,
 * the oldest connection of that address is closed. At the total limit, the oldest connection of the address with the
 * most connections is closed. So these limits never refuse a new connection.
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
    /** Closes a connection without a token to make way for a new connection; false if there is none to close. */
    evictOldest(): boolean {
      const those = fullest()
      cutOldest(those)
      return those !== undefined
    },
  }
}
