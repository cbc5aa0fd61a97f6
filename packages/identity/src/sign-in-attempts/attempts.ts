import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Vault } from '../vault.ts'
import * as store from './attempts.store.ts'

/** The key of a counter: what kind of attempts it counts, and of whom. */
export interface CounterKey {
  kind: keyof typeof SCHEDULES
  subject: string
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/**
 * These limits allow one address about twenty attempts at an account in the first hour, and about a hundred a day. The
 * waits of a whole address are short, since other people may share the address. No counter can block an account as a
 * whole: see slow-down.ts.
 */
const SCHEDULES = {
  'account from address': { free: 5, maxWaitS: 15 * 60, windowMs: DAY_MS },
  // The owner of a large IPv6 network can use a new address for every attempt.
  'account from network': { free: 20, maxWaitS: 60, windowMs: DAY_MS },
  'account from device': { free: 5, maxWaitS: 15 * 60, windowMs: DAY_MS },
  account: { free: 30, maxWaitS: 0, windowMs: 15 * MINUTE_MS },
  address: { free: 80, maxWaitS: 60, windowMs: 15 * MINUTE_MS },
  'device code from address': { free: 20, maxWaitS: 60, windowMs: 15 * MINUTE_MS },
  'client secret from address': { free: 20, maxWaitS: 60, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, store.Schedule>

export interface Attempts {
  /**
   * Counts an attempt as failed before its outcome is known, so that concurrent attempts cannot exceed the schedule.
   * Returns the time until which the client must wait, or undefined if it need not wait. During a wait nothing is
   * counted.
   */
  record(counters: readonly CounterKey[]): Promise<Date | undefined>
  /** Like `record`, for counters without waits. Returns true when the number of recent failures exceeds `free`. */
  recordAndTest(counter: CounterKey): Promise<boolean>
  /** The highest failure count among these counters. */
  maxFailures(counters: readonly CounterKey[]): Promise<number>
  /** Removes an attempt and its wait from the counters, because the attempt did not happen or did not fail. */
  undo(counters: readonly CounterKey[]): Promise<void>
  /** Sets the counter to zero after a successful sign-in. */
  reset(counter: CounterKey): Promise<void>
  sweep(): Promise<void>
}

export function createAttempts(options: { database: Database; vault: Vault; clock: Clock }): Attempts {
  const { database, vault, clock } = options
  const subjectOf = ({ kind, subject }: CounterKey) => vault.hmac(`attempts:${kind}:${subject}`)
  const count = (one: CounterKey) => store.countAttempt(database, subjectOf(one), clock.now(), SCHEDULES[one.kind])

  async function undo(counters: readonly CounterKey[]): Promise<void> {
    for (const one of counters) await store.undoAttempt(database, subjectOf(one))
  }

  return {
    async record(counters) {
      for (const [i, one] of counters.entries()) {
        if ((await count(one)) !== undefined) continue
        await undo(counters.slice(0, i))
        return (await store.findWait(database, subjectOf(one))) ?? clock.now()
      }
      return undefined
    },
    async recordAndTest(counter) {
      return ((await count(counter)) ?? 0) > SCHEDULES[counter.kind].free
    },
    async maxFailures(counters) {
      const counts = await Promise.all(counters.map((one) => store.findFailures(database, subjectOf(one), clock.now())))
      return Math.max(0, ...counts)
    },
    undo,
    reset: (counter) => store.deleteAttempts(database, subjectOf(counter)),
    sweep: () => store.deleteEnded(database, clock.now()),
  }
}

/** Whole seconds until a time, at least one, for `Retry-After`. */
export const secondsUntil = (until: Date, clock: Clock): number =>
  Math.max(1, Math.ceil((until.getTime() - clock.now().getTime()) / 1000))
