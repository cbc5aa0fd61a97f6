import type { OnWait } from '@storey/sdk'

export interface Waiting {
  /** When the last of the calls that wait goes on, in milliseconds since the epoch. */
  until: number
  code: string
}

/** A wait that follows at once upon another looks like one. */
const LINGER_MS = 700

export function createWaits(lingerMs = LINGER_MS) {
  const all = new Set<Waiting>()
  const listeners = new Set<() => void>()
  let last: Waiting | undefined
  const tell = () => {
    last = [...all].toSorted((one, other) => other.until - one.until)[0]
    for (const listener of listeners) listener()
  }
  const report: OnWait = ({ afterMs, code }) => {
    const waiting = { until: Date.now() + afterMs, code }
    all.add(waiting)
    tell()
    return () => {
      setTimeout(() => {
        all.delete(waiting)
        tell()
      }, lingerMs)
    }
  }
  return {
    report,
    /** The one that takes longest. */
    current: () => last,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** One for the page: whatever client waits, there is one notice. */
export const waits = createWaits()

/** For the clients of the SDK: `onWait: reportWait`. */
export const reportWait: OnWait = waits.report
