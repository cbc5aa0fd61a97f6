import type { Log } from './log.ts'
import { within } from './within.ts'

interface Part {
  name: string
  limitMs: number
  close: () => Promise<unknown> | unknown
}

/** A part throws this error if it could not stop a process, which is still running. The message names the process. */
export class LeftRunning extends Error {
  override name = 'LeftRunning'
}

/**
 * Closes parts once, the last added first, each within its own time limit. A failure or timeout is logged and does not
 * stop the other parts from closing.
 */
export class Lifecycle {
  readonly #parts: Part[] = []
  readonly #log: Log
  #closing: Promise<void> | undefined
  #hasLeftRunning = false

  constructor(log: Log) {
    this.#log = log
  }

  onClose(name: string, close: Part['close'], limitMs = 5_000): void {
    this.#parts.push({ name, close, limitMs })
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
    for (const part of this.#parts.reverse()) {
      try {
        await within(part.limitMs, Promise.resolve().then(part.close))
      } catch (err) {
        if (err instanceof LeftRunning) this.#hasLeftRunning = true
        this.#log.warn({ err, part: part.name }, 'part could not be closed')
      }
    }
  }
}
