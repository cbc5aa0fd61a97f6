/** All callers during a run wait for the same next run, which includes everything that was written before the calls. */
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
    // The next run begins a moment after `running` is cleared. A caller in between must not begin another run.
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
