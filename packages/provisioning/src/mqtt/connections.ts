/** A client that is connected and not authenticated yet. */
export interface Stranger {
  /** Clients that share a limit: see `addressGroup`. */
  group: string
  /** Its CONNECT packet has arrived and is being checked. */
  hasSentConnect: boolean
  disconnect(): void
}

export interface ConnectionLimits {
  strangers: number
  strangersOfAddress: number
  signedIn: number
  signedInOfAddress: number
}

/**
 * Strangers are counted separately, so any number of them leaves capacity for clients that can sign in. With 1,000 per
 * address a device has a second to send its CONNECT even when 1,000 connections a second come from its address.
 */
export const CONNECTION_LIMITS: ConnectionLimits = {
  strangers: 4_000,
  strangersOfAddress: 1_000,
  signedIn: 5_000,
  signedInOfAddress: 1_000,
}

/**
 * The connected clients by address. At the limit the oldest stranger of the address with the most strangers is evicted:
 * a device signs in quickly, and an address that opens many connections loses its own.
 */
export function createConnections(limits: ConnectionLimits = CONNECTION_LIMITS) {
  const strangers = new Map<string, Set<Stranger>>()
  const signedIn = new Map<string, number>()
  let [strangerCount, signedInCount] = [0, 0]

  function leave(stranger: Stranger): boolean {
    const alike = strangers.get(stranger.group)
    if (!alike?.delete(stranger)) return false
    strangerCount--
    if (alike.size === 0) strangers.delete(stranger.group)
    return true
  }

  function evict(alike: Set<Stranger>): void {
    const all = [...alike]
    const goes = all.find(({ hasSentConnect }) => !hasSentConnect) ?? all[0]
    if (goes && leave(goes)) goes.disconnect()
  }

  function largest(): Set<Stranger> {
    let found = new Set<Stranger>()
    for (const alike of strangers.values()) if (alike.size > found.size) found = alike
    return found
  }

  return {
    strangers: () => strangerCount,
    enter(stranger: Stranger): void {
      const alike = strangers.get(stranger.group) ?? new Set()
      if (alike.size >= limits.strangersOfAddress) evict(alike)
      else if (strangerCount >= limits.strangers) evict(largest())
      alike.add(stranger)
      strangers.set(stranger.group, alike)
      strangerCount++
    },
    leave,
    /** Returns a function that removes the client again; undefined when a limit is reached. */
    signIn(stranger: Stranger, isProxy: boolean): (() => void) | undefined {
      const { group } = stranger
      const alike = signedIn.get(group) ?? 0
      if (signedInCount >= limits.signedIn || (!isProxy && alike >= limits.signedInOfAddress)) return undefined
      leave(stranger)
      signedInCount++
      signedIn.set(group, alike + 1)
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
