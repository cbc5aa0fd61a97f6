import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long one task may block the event loop. */
const SLICE_MS = 10

/**
 * Creates a function for a long task in the main thread. The task calls the function between its steps, and the
 * function yields to the event loop when the task has run too long.
 */
export function createYield(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < SLICE_MS) return
    await nextTurn()
    since = performance.now()
  }
}
