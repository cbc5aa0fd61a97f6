import { webcrypto } from 'node:crypto'

const { subtle } = webcrypto

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

/** SHA-256 in hexadecimal digits. In a thread of its own: 10 MB would hold up everyone for 20 ms. */
export async function digestOf(payload: Buffer): Promise<string> {
  return Buffer.from(await subtle.digest('SHA-256', new Uint8Array(payload))).toString('hex')
}
