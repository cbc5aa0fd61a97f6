import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

const MAX_MESSAGES = 1_000
const FORGET_MS = 15 * 60_000

export interface Failure {
  attempts: number
  firstAt: Date
  lastAt: Date
}

/**
 * Counts how often our own code failed to process a message. Messages are identified by content, because a client that
 * reconnects sends the same message with another id.
 */
export function createFailures(now: () => number = Date.now) {
  const failures = new Map<string, Failure>()
  return {
    note(key: string): Failure {
      const at = new Date(now())
      const before = failures.get(key)
      const isFresh = before !== undefined && at.getTime() - before.lastAt.getTime() < FORGET_MS
      const failure = isFresh
        ? { ...before, attempts: before.attempts + 1, lastAt: at }
        : { attempts: 1, firstAt: at, lastAt: at }
      failures.delete(key)
      failures.set(key, failure)
      if (failures.size > MAX_MESSAGES) failures.delete(failures.keys().next().value!)
      return failure
    },
    forget(key: string): void {
      failures.delete(key)
    },
  }
}

/** A slice of this size is hashed in less than a millisecond. */
const SLICE_BYTES = 256 * 1024

/**
 * The SHA-256 of a payload in hexadecimal digits. The payload is hashed in slices, and other work can run between two
 * slices. A worker thread would need a copy of the payload, and copying 10 MB blocks the event loop for longer than
 * hashing one slice.
 */
export async function digestOf(payload: Buffer): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < payload.length; at += SLICE_BYTES) {
    if (at > 0) await nextTurn()
    hash.update(payload.subarray(at, at + SLICE_BYTES))
  }
  return hash.digest('hex')
}
