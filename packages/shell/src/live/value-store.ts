/** The newest reading of a point. */
export interface Reading {
  value: string
  /** Of the observation, in milliseconds. */
  at: number
  source: string | null
}

export interface ValueStore {
  get(pointId: string): Reading | undefined
  readonly size: number
  /** Takes a reading unless a newer one is known. */
  take(pointId: string, value: string, timestamp: string, source: string | null): void
  /** Told of one point, at most once a frame. */
  watch(pointId: string, tell: () => void): () => void
  /** Told of the points that changed, at most once a frame. */
  watchAll(tell: (pointIds: ReadonlySet<string>) => void): () => void
}

/**
 * The last values of the building. However much comes in, those who watch hear of it once before the next picture is
 * drawn: a thousand observations a second are some twenty a frame.
 */
export function createValueStore(onFrame: (callback: () => void) => void): ValueStore {
  const readings = new Map<string, Reading>()
  const watchers = new Map<string, Set<() => void>>()
  const all = new Set<(pointIds: ReadonlySet<string>) => void>()
  let changed = new Set<string>()

  function flush(): void {
    const pointIds = changed
    changed = new Set()
    for (const tell of all) tell(pointIds)
    for (const pointId of pointIds) for (const tell of watchers.get(pointId) ?? []) tell()
  }

  return {
    get: (pointId) => readings.get(pointId),
    get size() {
      return readings.size
    },
    take(pointId, value, timestamp, source) {
      const at = Date.parse(timestamp)
      const known = readings.get(pointId)
      // Older ones come too, when a device sends what it had kept.
      if (known && (known.at > at || (known.at === at && known.value === value))) return
      readings.set(pointId, { value, at, source })
      if (changed.size === 0) onFrame(flush)
      changed.add(pointId)
    },
    watch(pointId, tell) {
      const own = watchers.get(pointId) ?? new Set()
      watchers.set(pointId, own.add(tell))
      return () => {
        own.delete(tell)
        if (own.size === 0) watchers.delete(pointId)
      }
    },
    watchAll(tell) {
      all.add(tell)
      return () => all.delete(tell)
    },
  }
}

/** Before the next picture; a page in the background draws none, and is still to be told. */
export function onFrame(callback: () => void): void {
  if (document.hidden) setTimeout(callback, 250)
  else requestAnimationFrame(callback)
}
