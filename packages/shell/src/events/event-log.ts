import type { LiveEvent } from '@storey/contract'

export interface LoggedEvent {
  /** Ascending, in the order of arrival. */
  id: number
  kind: LiveEvent
  /** When the event arrived, in milliseconds since the epoch. */
  at: number
  sequence: number
  fields: Record<string, unknown>
  /** The size of `fields` as JSON, in characters. */
  size: number
}

/** Events that did not arrive. */
export interface Gap {
  id: number
  kind: 'gap'
  at: number
  /** `slow`: this page was too slow, so events were skipped. `interrupted`: the connection was broken for too long. */
  reason: 'slow' | 'interrupted'
  /** How many events did not arrive; undefined if the number is not known. */
  count: number | undefined
}

export type LogEntry = LoggedEvent | Gap

export const isEvent = (entry: LogEntry): entry is LoggedEvent => entry.kind !== 'gap'

export interface LogView {
  /** The oldest entry is first. */
  entries: readonly LogEntry[]
  /** How many entries were added since the log was created or cleared. */
  added: number
  /** The number of added entries by kind. */
  addedOf: ReadonlyMap<LogEntry['kind'], number>
  /** How many of the added entries were dropped for newer ones. */
  dropped: number
}

export interface EventLog {
  add(kind: LiveEvent, fields: Record<string, unknown>, meta: { sequence: number; skipped?: number }): void
  addGap(reason: Gap['reason'], count?: number): void
  clear(): void
  /** The view after the last notification. */
  view(): LogView
  /** Calls the listener after changes, at most once per interval, and immediately after `clear`. */
  subscribe(listener: () => void): () => void
}

export interface EventLogOptions {
  maxEntries?: number
  maxSize?: number
  everyMs?: number
  now?(): number
}

/** The events of the live channel, with a limit: the oldest ones are dropped for new ones. */
export function createEventLog(options: EventLogOptions = {}): EventLog {
  const { maxEntries = 2_000, maxSize = 4_000_000, everyMs = 250, now = Date.now } = options
  const listeners = new Set<() => void>()
  let entries: LogEntry[] = []
  let addedOf = new Map<LogEntry['kind'], number>()
  let [size, added, dropped, lastId] = [0, 0, 0, 0]
  let view: LogView = { entries, added, addedOf, dropped }
  let timer: ReturnType<typeof setTimeout> | undefined

  function publish(): void {
    clearTimeout(timer)
    timer = undefined
    view = { entries: [...entries], added, addedOf, dropped }
    for (const listener of listeners) listener()
  }

  const sizeOf = (entry: LogEntry) => (isEvent(entry) ? entry.size : 0)

  function append(entry: LogEntry): void {
    entries.push(entry)
    size += sizeOf(entry)
    added++
    addedOf = new Map(addedOf).set(entry.kind, (addedOf.get(entry.kind) ?? 0) + 1)
    let excess = 0
    // The newest entry stays, however large it is.
    while (excess < entries.length - 1 && (entries.length - excess > maxEntries || size > maxSize)) {
      size -= sizeOf(entries[excess]!)
      excess++
    }
    if (excess > 0) entries = entries.slice(excess)
    dropped += excess
    timer ??= setTimeout(publish, everyMs)
  }

  const addGap = (reason: Gap['reason'], count?: number) =>
    append({ id: ++lastId, kind: 'gap', at: now(), reason, count })

  return {
    add(kind, fields, { sequence, skipped = 0 }) {
      if (skipped > 0) addGap('slow', skipped)
      append({ id: ++lastId, kind, at: now(), sequence, fields, size: JSON.stringify(fields).length })
    },
    addGap,
    clear() {
      entries = []
      addedOf = new Map()
      size = added = dropped = 0
      publish()
    },
    view: () => view,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export interface Missed {
  /** How many entries were added since the view was paused. */
  total: number
  byKind: readonly (readonly [kind: LogEntry['kind'], count: number])[]
  /** How many of these entries were already dropped, and so are never shown. */
  lost: number
}

/** What a paused view does not show. */
export function missedSince(paused: LogView, current: LogView): Missed {
  const byKind = [...current.addedOf]
    .map(([kind, count]) => [kind, count - (paused.addedOf.get(kind) ?? 0)] as const)
    .filter(([, count]) => count > 0)
  return {
    total: current.added - paused.added,
    byKind,
    lost: Math.max(0, current.dropped - paused.dropped - paused.entries.length),
  }
}
