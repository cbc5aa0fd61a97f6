/** Those who ask while it runs wait for one more run: what was written before they asked is then in it. */
export function shared(run: () => Promise<void>): () => Promise<void> {
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
