import type { OwnedSandbox } from './stack-capacity.ts'
import type { RunningStack } from './stack-runtime.ts'

/** True if a caller uses the stack, false if an unauthenticated client does; `lastedMs` is the duration of the use. */
export type IsFromCaller = (lastedMs: number) => boolean

export interface Use {
  /** When this use got the running stack; infinite while it waits for the stack. */
  since: number
  isFromCaller: IsFromCaller
  /** When the last request of this use came. Absent unless the client's connection was transferred to the stack. */
  lastCallAt?: () => number
  /** Whether the credential of the request was checked during the wait for the stack and found to be valid. */
  isVerified: boolean
}

/** A time before all others, on the monotonic clock. */
export const NEVER = Number.MIN_SAFE_INTEGER

/** A stack of the pool. Times are milliseconds of the monotonic clock, except `dueAt`. */
export interface Entry {
  sandbox: OwnedSandbox
  state: 'starting' | 'running' | 'stopping' | 'waiting'
  /** The running stack; replaced at each start. */
  running: Promise<RunningStack>
  uses: Set<Use>
  lastUsedAt: number
  /** The time of the last use by a caller, or `NEVER`. It can be negative: before the start of this process. */
  lastCalledAt: number
  /** Whether database connections are reserved for the stack. Before that it waits for capacity. */
  isAdmitted: boolean
  runsSince: number
  startedAt: number
  crashes: number
  /** When the stack next has work of its own, by its last report. null: never; undefined: there is no report. */
  dueAt: Date | null | undefined
  /** Ends the wait for capacity and for a start. */
  cancel: AbortController
  /** The attempt to stop the stack that is in progress. */
  stopping: Promise<void> | undefined
  /** When the stop began; attempts that failed do not change it. */
  stoppingSince: number
  /** Whether the start was in progress when the stop began. */
  wasStarting: boolean
  /** Whether the stack now belongs to another control plane. No database connections are reserved for it here. */
  isAbandoned: boolean
}

/** The time of the last call by a caller, including calls of uses that have not ended. */
export const lastCallOf = ({ lastCalledAt, uses }: Pick<Entry, 'lastCalledAt' | 'uses'>): number =>
  Math.max(lastCalledAt, ...[...uses].map(({ lastCallAt }) => lastCallAt?.() ?? lastCalledAt))

export function newEntry(sandbox: OwnedSandbox, now: number): Entry {
  const running = Promise.reject(new Error('not started'))
  running.catch(() => undefined)
  return {
    sandbox,
    state: 'starting',
    running,
    uses: new Set(),
    lastUsedAt: now,
    lastCalledAt: NEVER,
    isAdmitted: false,
    runsSince: 0,
    startedAt: 0,
    crashes: 0,
    dueAt: undefined,
    cancel: new AbortController(),
    stopping: undefined,
    stoppingSince: 0,
    wasStarting: false,
    isAbandoned: false,
  }
}
