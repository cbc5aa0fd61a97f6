type Handler<Args extends unknown[]> = (...args: Args) => void

/** A set of listeners. If a listener throws, the others are still called. */
export class Listeners<Args extends unknown[]> {
  readonly #handlers = new Set<Handler<Args>>()

  add(handler: Handler<Args>): () => void {
    // The same function may be added twice, so each registration gets a function of its own.
    const own: Handler<Args> = (...args) => handler(...args)
    this.#handlers.add(own)
    return () => {
      this.#handlers.delete(own)
    }
  }

  emit(...args: Args): void {
    for (const handler of this.#handlers) {
      try {
        handler(...args)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
