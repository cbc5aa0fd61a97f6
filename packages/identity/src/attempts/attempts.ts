import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Vault } from '../seal.ts'
import * as store from './attempts.store.ts'

/** What is counted together: `${kind}` of `${subject}`. */
export interface Counted {
  kind: keyof typeof LIMITS
  subject: string
}

const MINUTE_MS = 60_000

/**
 * Failures in a window. Of one account from one address few, so that a person who mistypes is not locked out by
 * someone elsewhere; of one account, and from one address, more.
 */
const LIMITS = {
  'account from address': { failures: 8, windowMs: 15 * MINUTE_MS },
  account: { failures: 40, windowMs: 15 * MINUTE_MS },
  address: { failures: 80, windowMs: 15 * MINUTE_MS },
  'device code from address': { failures: 20, windowMs: 15 * MINUTE_MS },
} as const

export interface Attempts {
  /**
   * Counts a failure before it is known to be one: whatever happens at the same time elsewhere, no more than the limit
   * get through. Tells until when to wait, or undefined.
   */
  take(counted: readonly Counted[]): Promise<Date | undefined>
  /** It was no failure after all. */
  takeBack(counted: readonly Counted[]): Promise<void>
  sweep(): Promise<void>
}

export function createAttempts(options: { database: Database; vault: Vault; clock: Clock }): Attempts {
  const { database, vault, clock } = options
  const subjectOf = ({ kind, subject }: Counted) => vault.mark(`attempts:${kind}:${subject}`)
  return {
    async take(counted) {
      const now = clock.now()
      const waits: number[] = []
      for (const one of counted) {
        const { failures, windowMs } = LIMITS[one.kind]
        const row = await store.countAttempt(database, subjectOf(one), now, windowMs)
        if (row.failures > failures) waits.push(row.windowEndsAt.getTime())
      }
      return waits.length === 0 ? undefined : new Date(Math.max(...waits))
    },
    async takeBack(counted) {
      for (const one of counted) await store.takeBack(database, subjectOf(one))
    },
    sweep: () => store.deleteEnded(database, clock.now()),
  }
}
