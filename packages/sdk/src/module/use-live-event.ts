import { useEffect, useRef } from 'react'
import type { LiveMeta } from '../live/live-connection.ts'
import type { LiveEventName, LiveEvents } from '../live/live-events.ts'
import { usePlatform } from './context.ts'

/**
 * Calls `handler` for each event with the name `kind` while the component is mounted. The handler may change at each
 * render.
 *
 * @stable
 */
export function useLiveEvent<K extends LiveEventName>(
  kind: K,
  handler: (event: LiveEvents[K], meta: LiveMeta) => void,
): void {
  const { live } = usePlatform()
  const latest = useRef(handler)
  useEffect(() => {
    latest.current = handler
  })
  useEffect(() => live?.on(kind, (event, meta) => latest.current(event, meta)), [live, kind])
}
