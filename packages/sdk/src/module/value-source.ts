import type { LiveConnection } from '../live/live-connection.ts'
import type { LastValue } from '../platform/telemetry.ts'

export type Reading = Pick<LastValue, 'pointId' | 'value' | 'timestamp'>

/** A subscriber of values. */
export interface Follower {
  take(readings: readonly Reading[]): void
  /** All current values were delivered. */
  loaded(): void
  failed(error: Error): void
}

/** A source of values. Returns the unsubscribe function. */
export type ValueSource = (follower: Follower) => () => void

type Read = (signal: AbortSignal) => Promise<readonly Reading[]>

/** The current values. */
export const readOnce =
  (read: Read): ValueSource =>
  (follower) => {
    const ending = new AbortController()
    void tell(read, ending.signal, [follower])
    return () => ending.abort()
  }

/** After the last unsubscribe the values are kept for so long, because another component may mount. */
const LINGER_MS = 2_000
const feeds = new WeakMap<LiveConnection, ValueSource>()

/** One read and one subscription for all subscribers of a connection: a page may have a hundred of them. */
export function liveSource(live: LiveConnection, read: Read): ValueSource {
  let feed = feeds.get(live)
  if (!feed) {
    feed = createFeed(live, read)
    feeds.set(live, feed)
  }
  return feed
}

export function createFeed(live: LiveConnection, read: Read, lingerMs = LINGER_MS): ValueSource {
  const followers = new Set<Follower>()
  const known = new Map<string, Reading>()
  let state: 'still' | 'reading' | 'loaded' = 'still'
  let stop: (() => void) | undefined
  let lingering: ReturnType<typeof setTimeout> | undefined

  const all: Follower = {
    take(readings) {
      for (const reading of readings)
        if (isNewer(reading, known.get(reading.pointId))) known.set(reading.pointId, reading)
      for (const follower of followers) follower.take(readings)
    },
    loaded() {
      state = 'loaded'
      for (const follower of followers) follower.loaded()
    },
    failed(error) {
      state = 'still'
      for (const follower of followers) follower.failed(error)
    },
  }

  /** Subscribes before it reads, so that no value is missed. */
  function start(): () => void {
    const ending = new AbortController()
    const refill = () => {
      state = 'reading'
      void tell(read, ending.signal, [all])
    }
    const ends = [
      live.on('building.point.updated', ({ observations }) => all.take(observations)),
      live.onSnapshotRequired(refill),
    ]
    refill()
    return () => {
      ending.abort()
      for (const end of ends) end()
      known.clear()
      state = 'still'
      stop = undefined
    }
  }

  return (follower) => {
    clearTimeout(lingering)
    followers.add(follower)
    if (state === 'still') {
      stop?.()
      stop = start()
    } else {
      follower.take([...known.values()])
      if (state === 'loaded') follower.loaded()
    }
    return () => {
      followers.delete(follower)
      clearTimeout(lingering)
      if (followers.size === 0) lingering = setTimeout(() => stop?.(), lingerMs)
    }
  }
}

/** Older ones come too, when a device sends what it had kept. */
export const isNewer = (reading: Reading, known: Pick<Reading, 'timestamp'> | undefined): boolean =>
  known === undefined || reading.timestamp >= known.timestamp

async function tell(read: Read, signal: AbortSignal, followers: readonly Follower[]): Promise<void> {
  try {
    const readings = await read(signal)
    if (signal.aborted) return
    for (const follower of followers) {
      follower.take(readings)
      follower.loaded()
    }
  } catch (error) {
    if (!signal.aborted) for (const follower of followers) follower.failed(error as Error)
  }
}
