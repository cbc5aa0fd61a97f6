import { useEffect } from 'react'
import { useLiveStatus } from '../live/live.tsx'

const AGAIN_MS = { connecting: 3000, away: 3000, closed: 10_000 } as const

/** While the live channel is broken, asks whether the sandbox is still there, and has its building. */
export function Doubt({ ask }: { ask(): void }): null {
  const status = useLiveStatus()
  useEffect(() => {
    if (status === 'live') return
    if (status !== 'connecting') ask()
    const timer = setInterval(() => !document.hidden && ask(), AGAIN_MS[status])
    return () => clearInterval(timer)
  }, [status, ask])
  return null
}
