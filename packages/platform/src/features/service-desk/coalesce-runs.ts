/** All callers during a run wait for the same next run, which includes everything that was written before the calls. */
export function coalesceRuns(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = () => {
    const begun = run().finally(() => {
      if (running === begun) running = undefined
    })
    running = begun
    return begun
  }
  return () => {
    if (!running) return begin()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}
