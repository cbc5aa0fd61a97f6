import { useEffect, useRef } from 'react'

/** Many alarms are one reading: the first soon, those after it seldom enough for a caller's share of requests. */
const [SOON_MS, PAUSE_MS] = [300, 5_000]

/** Does it soon, and once for all who asked meanwhile. */
export function useSoon(act: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const last = useRef(Number.NEGATIVE_INFINITY)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return () => {
    if (timer.current !== undefined) return
    const run = () => {
      timer.current = undefined
      last.current = performance.now()
      act()
    }
    timer.current = setTimeout(run, Math.max(SOON_MS, last.current + PAUSE_MS - performance.now()))
  }
}
