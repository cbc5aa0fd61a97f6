import { isNewer, type Reading, type ValueSource } from './value-source.ts'

/**
 * The value of a point, and when it was observed.
 *
 * @stable
 */
export interface PointValue {
  value: string
  timestamp: string
}

/**
 * Values by point id. A point without a value has no entry.
 *
 * @stable
 */
export type PointValues = ReadonlyMap<string, PointValue>

interface StoreOptions {
  pointIds: readonly string[]
  source: ValueSource
  /** Calls back before the next frame. */
  onFrame(callback: () => void): () => void
}

/** The newest values of some points. Subscribers are notified once per frame, however many values arrive. */
export function createValueStore({ pointIds, source, onFrame }: StoreOptions) {
  const wanted = new Set(pointIds)
  const current = new Map<string, PointValue>()
  const watchers = new Set<() => void>()
  let shown: PointValues = new Map()
  let loaded = false
  let error: Error | undefined
  let cancelFrame: (() => void) | undefined

  function add(reading: Reading): void {
    const { pointId, value, timestamp } = reading
    const known = current.get(pointId)
    if (!wanted.has(pointId) || !isNewer(reading, known)) return
    if (known?.value === value && known.timestamp === timestamp) return
    current.set(pointId, { value, timestamp })
    cancelFrame ??= onFrame(show)
  }

  function show(): void {
    cancelFrame = undefined
    shown = new Map(current)
    for (const notify of watchers) notify()
  }

  return {
    start(): () => void {
      const end = source({
        onReadings: (readings) => readings.forEach(add),
        onLoaded() {
          loaded = true
          error = undefined
          cancelFrame ??= onFrame(show)
        },
        onFailed(reason) {
          error = reason
          cancelFrame ??= onFrame(show)
        },
      })
      return () => {
        end()
        cancelFrame?.()
        cancelFrame = undefined
      }
    },
    shown: () => shown,
    isLoaded: () => loaded,
    /** The error of the last read; undefined if it has succeeded. */
    error: () => error,
    watch(notify: () => void): () => void {
      watchers.add(notify)
      return () => watchers.delete(notify)
    },
  }
}
