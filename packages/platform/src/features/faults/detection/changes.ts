import { type Observations, valueText } from '../../telemetry/index.ts'
import type { WatchList } from './watch-list.ts'

/** What has happened at a watch (a rule at a point) since its changes were last written. */
export interface Change {
  /** The fault that was active when the changes were last written has ended. */
  ended: boolean
  /** A fault has begun. */
  begun: { value: string | null } | null
  /** The fault that has begun has already ended. */
  isOver: boolean
}

/**
 * Keeps new and ended faults until they are written to the database. A watch has at most one change, however often its
 * value alternates meanwhile, so memory is limited. A new fault that ends and begins again before it is written is one
 * fault.
 */
export class Changes {
  readonly #list: WatchList
  #byWatch = new Map<number, Change>()

  constructor(list: WatchList) {
    this.#list = list
  }

  get size(): number {
    return this.#byWatch.size
  }

  begin(watch: number, batch: Observations, i: number): void {
    this.beginWith(watch, valueText(batch, i))
  }

  beginWith(watch: number, value: string | null): void {
    this.#list.isOpen[watch] = 1
    const change = this.#of(watch)
    change.begun ??= { value }
    change.isOver = false
  }

  end(watch: number): void {
    this.#list.isOpen[watch] = 0
    const change = this.#of(watch)
    if (change.begun === null) change.ended = true
    else change.isOver = true
  }

  /** Returns at most `max` changes. They are kept until `done` is called. */
  some(max: number): [watch: number, change: Change][] {
    const some: [number, Change][] = []
    for (const entry of this.#byWatch) if (some.push(entry) === max) break
    return some
  }

  done(written: readonly [watch: number, change: Change][]): void {
    for (const [watch] of written) this.#byWatch.delete(watch)
  }

  #of(watch: number): Change {
    let change = this.#byWatch.get(watch)
    if (change === undefined) {
      change = { ended: false, begun: null, isOver: false }
      this.#byWatch.set(watch, change)
    }
    return change
  }
}
