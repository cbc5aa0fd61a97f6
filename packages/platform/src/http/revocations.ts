import { type Caller, callerKey } from '../caller.ts'

type Bearer = Pick<Caller, 'issuer' | 'subject' | 'issuedAt'>

/** Subjects whose tokens are revoked before they expire. */
export interface Revocations {
  /** Refuses every token of this subject that was issued up to this time. */
  revoke(issuer: string, subject: string, at: Date): void
  isRevoked(bearer: Bearer): boolean
  /** The listener is called after every revocation, to end sessions that last longer than a request. */
  onRevoke(listener: () => void): void
}

/** A revocation is kept longer than an access token is valid (10 minutes in the embedded realm). */
const KEPT_MS = 24 * 3_600_000
const MAX_KEPT = 10_000

export function createRevocations(maxKept = MAX_KEPT): Revocations {
  /** The time up to which tokens are refused, by subject. The oldest revocation comes first. */
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
      const key = callerKey({ issuer, subject })
      const until = Math.max(at.getTime(), moments.get(key) ?? 0)
      moments.delete(key)
      moments.set(key, until)
      forget(at.getTime())
      for (const listener of listeners) listener()
    },
    // The time of issue is in whole seconds, so a token that is issued after the revocation in the same second is
    // refused too.
    isRevoked: (bearer) => bearer.issuedAt.getTime() <= (moments.get(callerKey(bearer)) ?? Number.NEGATIVE_INFINITY),
    onRevoke: (listener) => void listeners.add(listener),
  }
}
