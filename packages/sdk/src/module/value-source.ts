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
/** The pause after a failed read. It doubles with each further failure, up to `MAX_RETRY_MS`. */
const RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000
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

export function createFeed(
  live: LiveConnection,
  read: Read,
  { lingerMs = LINGER_MS, retryMs = RETRY_MS } = {},
): ValueSource {
  const subscribers = new Set<Subscriber>()
  const known = new Map<string, Reading>()
  let state: 'idle' | 'reading' | 'loaded' = 'idle'
  let stop: (() => void) | undefined
  let lingering: ReturnType<typeof setTimeout> | undefined

  function deliver(readings: readonly Reading[]): void {
    for (const reading of readings)
      if (isNewer(reading, known.get(reading.pointId))) known.set(reading.pointId, reading)
    for (const subscriber of subscribers) subscriber.onReadings(readings)
  }

  /** Listens to the channel and reads the current values, again and again until a read succeeds. */
  function start(): () => void {
    let reading = new AbortController()
    let retry: ReturnType<typeof setTimeout> | undefined
    let failures = 0
    const all: Subscriber = {
      onReadings: deliver,
      onLoaded() {
        state = 'loaded'
        failures = 0
        for (const subscriber of subscribers) subscriber.onLoaded()
      },
      onFailed(error) {
        state = 'idle'
        retry = setTimeout(reload, Math.min(retryMs * 2 ** failures, MAX_RETRY_MS))
        failures += 1
        for (const subscriber of subscribers) subscriber.onFailed(error)
      },
    }
    /** Starts a read. A read in progress is ended first, because its result would be taken for that of the new read. */
    function reload(): void {
      clearTimeout(retry)
      reading.abort()
      reading = new AbortController()
      state = 'reading'
      void loadInto(read, reading.signal, [all])
    }
    const ends = [
      live.on('building.point.updated', ({ observations }) => deliver(observations)),
      live.onSnapshotRequired(reload),
    ]
    let isStopped = false
    reload()
    // Until the first join the channel delivers nothing, so the read above may miss what changes before the join.
    if (live.status === 'connecting') live.ready.then(() => (isStopped ? undefined : reload())).catch(() => undefined)
    return () => {
      isStopped = true
      clearTimeout(retry)
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
