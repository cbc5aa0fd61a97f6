import { foldBatches } from '../compaction/fold-batches.ts'
import { type Observations, onlyPoint } from '../ingest/observations.ts'
import { decodeBatch } from '../storage/read-batch.ts'
import type { SeriesWindow, WindowBounds } from './window.ts'

const DAY_MS = 86_400_000
/** The number of waiting observations of a point that are sorted together. */
const FOLDED_AT_ONCE = 50_000

/** Adds to a window the batches that are not folded yet, in order of arrival. */
export class WaitingBatches {
  readonly #window: SeriesWindow
  readonly #from: number
  readonly #withSources: boolean
  #parts: Observations[] = []
  #count = 0

  constructor(window: SeriesWindow, { from }: WindowBounds, withSources: boolean) {
    this.#window = window
    this.#from = from
    this.#withSources = withSources
  }

  add(data: Buffer, point: number): void {
    for (const part of decodeBatch(data)) {
      const own = onlyPoint(part, point, { from: this.#from, to: this.#window.to })
      if (own.count > 0) this.#parts.push(own)
      this.#count += own.count
    }
    if (this.#count >= FOLDED_AT_ONCE) this.fold()
  }

  /** Call this after the last batch. */
  fold(): void {
    if (this.#count === 0) return
    for (const { day, sources, ...data } of foldBatches(this.#parts).chunks)
      this.#window.add({ dayStart: day * DAY_MS, data, sources: this.#withSources ? sources : null })
    this.#parts = []
    this.#count = 0
  }
}
