import { useEffect } from 'react'
import { useLiveStatus } from '../live/live.tsx'

const INTERVAL_MS = { connecting: 3000, away: 3000, closed: 10_000 } as const

/**
 * While the live channel is not connected, reloads the config to see whether the sandbox was deleted, reset or
 * suspended.
 */
export function ConfigRefresh({ reload }: { reload(): void }): null {
  const status = useLiveStatus()
  useEffect(() => {
    if (status === 'live') return
    if (status !== 'connecting') reload()
    const timer = setInterval(() => !document.hidden && reload(), INTERVAL_MS[status])
    return () => clearInterval(timer)
  }, [status, reload])
  return null
}
