import type { OnWait } from '@storey/sdk'

export interface Waiting {
  /** When the call is retried, in milliseconds since the epoch. */
  until: number
  code: string
}

/** The notice stays this long after a wait has ended, so that two waits in a row look like one. */
const LINGER_MS = 700

export function createWaits(lingerMs = LINGER_MS) {
  const all = new Set<Waiting>()
  const listeners = new Set<() => void>()
  let last: Waiting | undefined
  const notify = () => {
    last = [...all].toSorted((one, other) => other.until - one.until)[0]
    for (const listener of listeners) listener()
  }
  const report: OnWait = ({ afterMs, code }) => {
    const waiting = { until: Date.now() + afterMs, code }
    all.add(waiting)
    notify()
    return () => {
      setTimeout(() => {
        all.delete(waiting)
        notify()
      }, lingerMs)
    }
  }
  return {
    report,
    /** The wait that ends last. */
    current: () => last,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** All SDK clients of the page share this object, so that the page shows one notice. */
export const waits = createWaits()

/**
 * Options of every SDK client of a page. The page shows one notice for all calls that wait because the service asked
 * the client to retry later. A change that was rate limited does not wait: it fails, and the page shows when the user
 * can try again.
 */
export const pageClientOptions = { onWait: waits.report, retry: { interactive: true } }
