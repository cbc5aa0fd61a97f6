export interface StrangerLimits {
  total: number
  perAddress: number
}

/**
 * Connections that have shown no token yet. Each of them is one that signs in a moment later, or one of somebody's who
 * never will: where there are too many the oldest goes, of the address that has too many, or most. So a newcomer always
 * finds room, and has the more time to sign in the fewer come with it.
 */
export function createStrangers<Connection extends object>(limits: StrangerLimits, cut: (one: Connection) => void) {
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
    /** It has signed in, or ended. */
    remove,
    /** Makes room for another connection of any kind, where a stranger can go. */
    giveWay(): boolean {
      const those = fullest()
      cutOldest(those)
      return those !== undefined
    },
  }
}
