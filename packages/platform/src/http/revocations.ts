import type { Caller } from '../caller.ts'

type Bearer = Pick<Caller, 'issuer' | 'subject' | 'issuedAt'>

/** Whose tokens are good no more, although they have not expired. */
export interface Revocations {
  /** From here on, every token of this subject that was issued until then is refused. */
  revoke(issuer: string, subject: string, at: Date): void
  isRevoked(bearer: Bearer): boolean
  /** Called after every revocation, for those who let somebody in for longer than a request. */
  onRevoke(listener: () => void): void
}

/** No realm's access token lives longer; after it, the expiry of the token does what the revocation did. */
const KEPT_MS = 24 * 3_600_000
const MAX_KEPT = 10_000

export function createRevocations(maxKept = MAX_KEPT): Revocations {
  /** The moment up to which tokens are refused, by subject; the one revoked longest ago comes first. */
  const moments = new Map<string, number>()
  const listeners = new Set<() => void>()

  function forget(now: number): void {
    for (const [key, at] of moments) {
      if (moments.size <= maxKept && at > now - KEPT_MS) return
      moments.delete(key)
    }
  }

  return {
    revoke(issuer, subject, at) {
      const key = keyOf({ issuer, subject })
      const until = Math.max(at.getTime(), moments.get(key) ?? 0)
      moments.delete(key)
      moments.set(key, until)
      forget(at.getTime())
      for (const listener of listeners) listener()
    },
    // A token tells the second it was issued in: one of the very second of the revocation is refused with the others.
    isRevoked: (bearer) => bearer.issuedAt.getTime() <= (moments.get(keyOf(bearer)) ?? Number.NEGATIVE_INFINITY),
    onRevoke: (listener) => void listeners.add(listener),
  }
}

const keyOf = ({ issuer, subject }: Pick<Caller, 'issuer' | 'subject'>): string => `${issuer} ${subject}`
