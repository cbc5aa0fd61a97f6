import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Vault } from '../seal.ts'
import * as store from './attempts.store.ts'

/** The key of a counter: `${kind}` of `${subject}`. */
export interface Counted {
  kind: keyof typeof SCHEDULES
  subject: string
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/**
 * One guesser soon waits long: some twenty tries an hour at first, a hundred a day. The waits of a whole address are
 * short, since others may share it. Nothing here can block an account as a whole: see slow-down.ts.
 */
const SCHEDULES = {
  'account from address': { free: 5, maxWaitS: 15 * 60, windowMs: DAY_MS },
  // The holder of a large IPv6 network has a new address for every attempt, and could use up the account's slots.
  'account from network': { free: 20, maxWaitS: 60, windowMs: DAY_MS },
  'account from device': { free: 5, maxWaitS: 15 * 60, windowMs: DAY_MS },
  account: { free: 30, maxWaitS: 0, windowMs: 15 * MINUTE_MS },
  address: { free: 80, maxWaitS: 60, windowMs: 15 * MINUTE_MS },
  'device code from address': { free: 20, maxWaitS: 60, windowMs: 15 * MINUTE_MS },
  'client secret from address': { free: 20, maxWaitS: 60, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, store.Schedule>

export interface Attempts {
  /**
   * Counts a failure before it is known to be one: whatever happens at the same time elsewhere, no more than the
   * schedule allows get through. Tells until when to wait, or undefined. During a wait nothing is counted.
   */
  take(counted: readonly Counted[]): Promise<Date | undefined>
  /** As `take`, for what never waits: true when there were more failures lately than are free. */
  takeMany(counted: Counted): Promise<boolean>
  /** The highest failure count among these counters. */
  most(counted: readonly Counted[]): Promise<number>
  /** Removes a count: the attempt was not made, or did not fail. */
  takeBack(counted: readonly Counted[]): Promise<void>
  /** Resets the count after a successful sign-in. */
  forget(counted: Counted): Promise<void>
  sweep(): Promise<void>
}

export function createAttempts(options: { database: Database; vault: Vault; clock: Clock }): Attempts {
  const { database, vault, clock } = options
  const subjectOf = ({ kind, subject }: Counted) => vault.mark(`attempts:${kind}:${subject}`)
  const count = (one: Counted) => store.countAttempt(database, subjectOf(one), clock.now(), SCHEDULES[one.kind])

  async function takeBack(counted: readonly Counted[]): Promise<void> {
    for (const one of counted) await store.takeBack(database, subjectOf(one), clock.now())
  }

  return {
    async take(counted) {
      for (const [i, one] of counted.entries()) {
        if ((await count(one)) !== undefined) continue
        await takeBack(counted.slice(0, i))
        return (await store.findWait(database, subjectOf(one))) ?? clock.now()
      }
      return undefined
    },
    async takeMany(counted) {
      return ((await count(counted)) ?? 0) > SCHEDULES[counted.kind].free
    },
    async most(counted) {
      const counts = await Promise.all(counted.map((one) => store.findFailures(database, subjectOf(one), clock.now())))
      return Math.max(0, ...counts)
    },
    takeBack,
    forget: (counted) => store.deleteAttempts(database, subjectOf(counted)),
    sweep: () => store.deleteEnded(database, clock.now()),
  }
}

/** Whole seconds until then, at least one, for `Retry-After`. */
export const secondsUntil = (until: Date, clock: Clock): number =>
  Math.max(1, Math.ceil((until.getTime() - clock.now().getTime()) / 1000))
