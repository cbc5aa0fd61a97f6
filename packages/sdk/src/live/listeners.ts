type Handler<Args extends unknown[]> = (...args: Args) => void

/** Those who want to hear of something. One that throws keeps nobody else from hearing. */
export class Listeners<Args extends unknown[]> {
  readonly #handlers = new Set<Handler<Args>>()

  add(handler: Handler<Args>): () => void {
    // The same function may listen twice: each has its own end.
    const own: Handler<Args> = (...args) => handler(...args)
    this.#handlers.add(own)
    return () => {
      this.#handlers.delete(own)
    }
  }

  tell(...args: Args): void {
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
