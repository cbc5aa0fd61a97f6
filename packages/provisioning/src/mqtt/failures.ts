import { createHash } from 'node:crypto'

const MAX_MESSAGES = 1_000
const FORGET_MS = 15 * 60_000

export interface Failure {
  attempts: number
  firstAt: Date
  lastAt: Date
}

/**
 * How often our own code failed at a message. Kept by its content, since a client that was cut off sends the same one
 * again under another number.
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

export const digestOf = (payload: Buffer): string => createHash('sha256').update(payload).digest('hex')
