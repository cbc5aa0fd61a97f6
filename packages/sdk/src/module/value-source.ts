import type { LiveConnection } from '../live/live-connection.ts'
import type { LastValue } from '../platform/telemetry.ts'

export type Reading = Pick<LastValue, 'pointId' | 'value' | 'timestamp'>

export interface Subscriber {
  onReadings(readings: readonly Reading[]): void
  /** Called when all current values were delivered. */
  onLoaded(): void
  onFailed(error: Error): void
}

/** Delivers values to the subscriber until the returned function is called. */
export type ValueSource = (subscriber: Subscriber) => () => void

type Read = (signal: AbortSignal) => Promise<readonly Reading[]>

/** A source that reads the current values once. */
export const readOnce =
  (read: Read): ValueSource =>
  (subscriber) => {
    const ending = new AbortController()
    void loadInto(read, ending.signal, [subscriber])
    return () => ending.abort()
  }

/** How long the values are kept after the last subscriber has left, because another component could subscribe soon. */
const LINGER_MS = 2_000
const feeds = new WeakMap<LiveConnection, ValueSource>()

/** All subscribers of a connection share one read and one subscription: a page can have a hundred subscribers. */
export function liveSource(live: LiveConnection, read: Read): ValueSource {
  let feed = feeds.get(live)
  if (!feed) {
    feed = createFeed(live, read)
    feeds.set(live, feed)
  }
  return feed
}

export function createFeed(live: LiveConnection, read: Read, lingerMs = LINGER_MS): ValueSource {
  const subscribers = new Set<Subscriber>()
  const known = new Map<string, Reading>()
  let state: 'idle' | 'reading' | 'loaded' = 'idle'
  let stop: (() => void) | undefined
  let lingering: ReturnType<typeof setTimeout> | undefined

  const all: Subscriber = {
    onReadings(readings) {
      for (const reading of readings)
        if (isNewer(reading, known.get(reading.pointId))) known.set(reading.pointId, reading)
      for (const subscriber of subscribers) subscriber.onReadings(readings)
    },
    onLoaded() {
      state = 'loaded'
      for (const subscriber of subscribers) subscriber.onLoaded()
    },
    onFailed(error) {
      state = 'idle'
      for (const subscriber of subscribers) subscriber.onFailed(error)
    },
  }

  /** Subscribes before it reads, so that no value is missed. */
  function start(): () => void {
    let reading = new AbortController()
    /** Starts a read. A read in progress is ended first, because its result would be taken for that of the new read. */
    const reload = () => {
      reading.abort()
      reading = new AbortController()
      state = 'reading'
      void loadInto(read, reading.signal, [all])
    }
    const ends = [
      live.on('building.point.updated', ({ observations }) => all.onReadings(observations)),
      live.onSnapshotRequired(reload),
    ]
    reload()
    return () => {
      reading.abort()
      for (const end of ends) end()
      known.clear()
      state = 'idle'
      stop = undefined
    }
  }

  return (subscriber) => {
    clearTimeout(lingering)
    subscribers.add(subscriber)
    if (state === 'idle') {
      stop?.()
      stop = start()
    } else {
      subscriber.onReadings([...known.values()])
      if (state === 'loaded') subscriber.onLoaded()
    }
    return () => {
      subscribers.delete(subscriber)
      clearTimeout(lingering)
      if (subscribers.size === 0) lingering = setTimeout(() => stop?.(), lingerMs)
    }
  }
}

/** Whether a reading is not older than the known one. Readings from a device's buffer can arrive after newer ones. */
export const isNewer = (reading: Reading, known: Pick<Reading, 'timestamp'> | undefined): boolean =>
  known === undefined || reading.timestamp >= known.timestamp

async function loadInto(read: Read, signal: AbortSignal, subscribers: readonly Subscriber[]): Promise<void> {
  try {
    const readings = await read(signal)
    if (signal.aborted) return
    for (const subscriber of subscribers) {
      subscriber.onReadings(readings)
      subscriber.onLoaded()
    }
  } catch (error) {
    if (!signal.aborted) for (const subscriber of subscribers) subscriber.onFailed(error as Error)
  }
}
