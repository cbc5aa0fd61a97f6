import { LIVE_EVENTS, type LiveEvent } from '@storey/contract'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useLive } from '../live/live.tsx'
import { createEventLog, type EventLog, type LogView } from './event-log.ts'

/** Collects the events of the live channel while the page is open. */
export function useEventLog(): { log: EventLog; view: LogView } {
  const live = useLive()
  const [log] = useState(createEventLog)
  useEffect(() => {
    if (!live) return
    const listen = (kind: LiveEvent) =>
      live.on(kind, (fields, meta) => log.add(kind, fields as unknown as Record<string, unknown>, meta))
    const ends = [...LIVE_EVENTS.map(listen), live.onSnapshotRequired(() => log.addGap('interrupted'))]
    return () => {
      for (const end of ends) end()
    }
  }, [live, log])
  return { log, view: useSyncExternalStore(log.subscribe, log.view) }
}
