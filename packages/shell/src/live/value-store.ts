/** The latest reading of a point. */
export interface Reading {
  value: string
  /** When the value was measured, in milliseconds since the epoch. */
  at: number
  source: string | null
}

export interface ValueStore {
  get(pointId: string): Reading | undefined
  readonly size: number
  /** Stores a reading unless there is a newer one. */
  set(pointId: string, value: string, timestamp: string, source: string | null): void
  /** Calls the listener when the reading of the point changes, at most once per frame. */
  watch(pointId: string, listener: () => void): () => void
  /** Calls the listener with the ids of the points whose readings changed, at most once per frame. */
  watchAll(listener: (pointIds: ReadonlySet<string>) => void): () => void
}

/**
 * The latest values of the building. The store notifies its watchers once per frame, so that a thousand readings per
 * second cause about sixty notifications per second.
 */
export function createValueStore(onFrame: (callback: () => void) => void): ValueStore {
  const readings = new Map<string, Reading>()
  const watchers = new Map<string, Set<() => void>>()
  const all = new Set<(pointIds: ReadonlySet<string>) => void>()
  let changed = new Set<string>()

  function flush(): void {
    const pointIds = changed
    changed = new Set()
    for (const listener of all) listener(pointIds)
    for (const pointId of pointIds) for (const listener of watchers.get(pointId) ?? []) listener()
  }

  return {
    get: (pointId) => readings.get(pointId),
    get size() {
      return readings.size
    },
    set(pointId, value, timestamp, source) {
      const at = Date.parse(timestamp)
      const known = readings.get(pointId)
      // A device may send older readings that it has buffered.
      if (known && (known.at > at || (known.at === at && known.value === value))) return
      readings.set(pointId, { value, at, source })
      if (changed.size === 0) onFrame(flush)
      changed.add(pointId)
    },
    watch(pointId, listener) {
      const listeners = watchers.get(pointId) ?? new Set()
      watchers.set(pointId, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) watchers.delete(pointId)
      }
    },
    watchAll(listener) {
      all.add(listener)
      return () => all.delete(listener)
    },
  }
}

/** Calls the function before the next frame. A hidden page has no frames, so there a timer calls it. */
export function onFrame(callback: () => void): void {
  if (document.hidden) setTimeout(callback, 250)
  else requestAnimationFrame(callback)
}
