/**
 * Returns a function that calls `run`, but never during another run. All callers during a run share the next run, which
 * begins after their calls, and so reads everything that was written before their calls.
 */
export function coalesceRuns(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = () => {
    running = run().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    // The next run begins a moment after `running` is cleared. A caller between the two must not begin another run.
    if (next) return next
    if (!running) return begin()
    next = running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}
