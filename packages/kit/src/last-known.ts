import { within } from './within.ts'

export interface LastKnown<T> {
  /** The value that was read last; undefined if none was read yet. */
  value: T | undefined
  /** Whether the value was read now. False if the read failed or takes too long. */
  isCurrent: boolean
}

/**
 * Reads a value for a monitor, which must get an answer even while a dependency is down or hangs: after the limit the
 * monitor gets the last known value. At most one read is in progress.
 */
export function createLastKnown<T>(read: () => Promise<T>, limitMs: number): () => Promise<LastKnown<T>> {
  let value: T | undefined
  let reading: Promise<boolean> | undefined

  async function readOnce(): Promise<boolean> {
    try {
      value = await read()
      return true
    } catch {
      return false
    } finally {
      reading = undefined
    }
  }

  return async () => {
    reading ??= readOnce()
    const isCurrent = await within(limitMs, reading).catch(() => false)
    return { value, isCurrent }
  }
}
