import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long one piece of work may keep all others waiting. */
const TURN_MS = 10

/** For long work in the main thread: called between its steps, it lets others have their turn when it is time. */
export function createTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < TURN_MS) return
    await nextTurn()
    since = performance.now()
  }
}
