import type { Log } from './log.ts'
import { within } from './within.ts'

interface Phase {
  name: string
  limitMs: number
  close: () => Promise<unknown> | unknown
}

/** A part has left a process running that could not be stopped. The message names the process. */
export class LeftRunning extends Error {
  override name = 'LeftRunning'
}

/**
 * Closes parts once, the last added first, each within its own time limit. A failure or timeout is logged and does not
 * stop the others from closing.
 */
export class Lifecycle {
  readonly #phases: Phase[] = []
  readonly #log: Log
  #closing: Promise<void> | undefined
  #hasLeftRunning = false

  constructor(log: Log) {
    this.#log = log
  }

  onClose(name: string, close: Phase['close'], limitMs = 5_000): void {
    this.#phases.push({ name, close, limitMs })
  }

  /** Whether a part has left a process running. */
  get hasLeftRunning(): boolean {
    return this.#hasLeftRunning
  }

  close(): Promise<void> {
    this.#closing ??= this.#run()
    return this.#closing
  }

  async #run(): Promise<void> {
    for (const phase of this.#phases.reverse()) {
      try {
        await within(phase.limitMs, Promise.resolve().then(phase.close))
      } catch (err) {
        if (err instanceof LeftRunning) this.#hasLeftRunning = true
        this.#log.warn({ err, phase: phase.name }, 'shutdown step failed')
      }
    }
  }
}
