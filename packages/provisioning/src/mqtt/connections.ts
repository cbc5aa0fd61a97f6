/** A client that is connected and not authenticated yet. */
export interface UnauthenticatedClient {
  /** The address or network of the client. Clients of the same group share a limit: see `addressGroup`. */
  group: string
  /** Whether the client's CONNECT packet has arrived; its credentials are then being checked. */
  hasSentConnect: boolean
  disconnect(): void
}

export interface ConnectionLimits {
  unauthenticated: number
  unauthenticatedOfAddress: number
  signedIn: number
  signedInOfAddress: number
}

/**
 * Unauthenticated clients are counted separately, so that they leave capacity for clients that can sign in. If 1,000
 * connections a second come from one address, the limit of 1,000 per address still gives each device a second to send
 * its CONNECT.
 */
export const CONNECTION_LIMITS: ConnectionLimits = {
  unauthenticated: 4_000,
  unauthenticatedOfAddress: 1_000,
  signedIn: 5_000,
  signedInOfAddress: 1_000,
}

/**
 * The connected clients by address. An address at its limit loses its oldest unauthenticated client that has not sent
 * its CONNECT, or else its oldest unauthenticated client. At the total limit the address with the most unauthenticated
 * clients loses one in the same way. So an address that opens many connections loses its own connections, and devices
 * at other addresses keep theirs.
 */
export function createConnections(limits: ConnectionLimits = CONNECTION_LIMITS) {
  const unauthenticated = new Map<string, Set<UnauthenticatedClient>>()
  const signedIn = new Map<string, number>()
  let [unauthenticatedCount, signedInCount] = [0, 0]

  function leave(client: UnauthenticatedClient): boolean {
    const sameAddress = unauthenticated.get(client.group)
    if (!sameAddress?.delete(client)) return false
    unauthenticatedCount--
    if (sameAddress.size === 0) unauthenticated.delete(client.group)
    return true
  }

  function evict(sameAddress: Set<UnauthenticatedClient>): void {
    const evicted = oldestSilent(sameAddress) ?? sameAddress.values().next().value
    if (evicted && leave(evicted)) evicted.disconnect()
  }

  /** Stops at the first match and sorts nothing, because during a flood every new connection evicts another. */
  function oldestSilent(sameAddress: Set<UnauthenticatedClient>): UnauthenticatedClient | undefined {
    for (const client of sameAddress) if (!client.hasSentConnect) return client
    return undefined
  }

  function largest(): Set<UnauthenticatedClient> {
    let found = new Set<UnauthenticatedClient>()
    for (const sameAddress of unauthenticated.values()) if (sameAddress.size > found.size) found = sameAddress
    return found
  }

  return {
    unauthenticated: () => unauthenticatedCount,
    enter(client: UnauthenticatedClient): void {
      const sameAddress = unauthenticated.get(client.group) ?? new Set()
      if (sameAddress.size >= limits.unauthenticatedOfAddress) evict(sameAddress)
      else if (unauthenticatedCount >= limits.unauthenticated) evict(largest())
      sameAddress.add(client)
      unauthenticated.set(client.group, sameAddress)
      unauthenticatedCount++
    },
    leave,
    /** Counts the client as authenticated. Returns a function that removes it; undefined when a limit is reached. */
    signIn(client: UnauthenticatedClient, isProxy: boolean): (() => void) | undefined {
      const { group } = client
      const sameAddress = signedIn.get(group) ?? 0
      if (signedInCount >= limits.signedIn || (!isProxy && sameAddress >= limits.signedInOfAddress)) return undefined
      leave(client)
      signedInCount++
      signedIn.set(group, sameAddress + 1)
      return () => {
        signedInCount--
        const left = signedIn.get(group)! - 1
        if (left === 0) signedIn.delete(group)
        else signedIn.set(group, left)
      }
    },
  }
}

export type Connections = ReturnType<typeof createConnections>
