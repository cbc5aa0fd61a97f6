/** Somebody who is connected and not signed in yet. */
export interface Stranger {
  /** Whom limits count together: see `addressGroup`. */
  group: string
  /** What it wants to sign in with is there: it is looked at. */
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
 * Strangers are counted apart: however many there are, whoever can sign in finds room. So many of one address that a
 * device behind the same one has a second to send its sign-in, also when a thousand connections a second push it out.
 */
export const CONNECTION_LIMITS: ConnectionLimits = {
  strangers: 4_000,
  strangersOfAddress: 1_000,
  signedIn: 5_000,
  signedInOfAddress: 1_000,
}

/**
 * Who is connected, by address. Where strangers are too many the oldest of them goes, of the address that has most:
 * a device signs in within moments, and a crowd pushes out its own.
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
    /** How to leave again; undefined when there are too many, in all or of this address. */
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
