/** Calls back when a client is silent for too long. */
export class SilenceLimit {
  readonly #onSilence: () => void
  #ms = 0
  #timer: NodeJS.Timeout | undefined
  /** Whether the timer was started with the whole limit, so that `refresh` starts the whole limit again. */
  #isWhole = false

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence
  }

  /** How long the client may be silent. 0 means that there is no limit. */
  get ms(): number {
    return this.#ms
  }

  /** Sets the limit and starts the timer. */
  begin(ms: number): void {
    this.#ms = ms
    this.continueAfter(0)
  }

  /** Starts the timer for a client that was already silent for `silentMs` while another process had its connection. */
  continueAfter(silentMs: number): void {
    if (this.#ms === 0) return
    this.stop()
    this.#isWhole = silentMs === 0
    this.#timer = setTimeout(this.#onSilence, Math.max(0, this.#ms - silentMs)).unref()
  }

  /**
   * Restarts the timer. Call this when data of the client has arrived, or if the limit was reached while this process
   * did not read from the connection.
   */
  restart(): void {
    if (this.#timer === undefined) return
    if (this.#isWhole) this.#timer.refresh()
    else this.continueAfter(0)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
