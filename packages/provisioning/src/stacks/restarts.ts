import type { StackExit } from './stack-runtime.ts'

/**
 * The pause before a restart doubles after each crash and resets after a stable time. It is constant while the database
 * is unavailable.
 */
export interface Backoff {
  firstMs: number
  maxMs: number
  resetAfterMs: number
  databaseMs: number
}

export const BACKOFF: Backoff = { firstMs: 250, maxMs: 30_000, resetAfterMs: 60_000, databaseMs: 1_000 }

/** The pause before a restart, after this many crashes. */
export const crashPauseMs = ({ firstMs, maxMs }: Backoff, crashes: number): number =>
  Math.min(firstMs * 2 ** (crashes - 1), maxMs)

/**
 * True if a terminal or a process manager stopped the stack. A stack that gets SIGTERM shuts down and exits with code
 * 0; early in its start, SIGTERM or SIGINT ends it directly. An end by any other signal counts as a crash.
 */
export const wasStoppedBySignal = ({ exitCode, signal }: StackExit): boolean =>
  exitCode === 0 || signal === 'SIGTERM' || signal === 'SIGINT'
