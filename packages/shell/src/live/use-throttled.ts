import { useEffect, useRef } from 'react'

/** The delay of the first call, and the minimum interval between calls, which protects the rate limit. */
const [DELAY_MS, MIN_INTERVAL_MS] = [300, 5_000]

/** A throttled version of a function: several calls in a short time run it once. */
export function useThrottled(callback: () => void): () => void {
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
      callback()
    }
    timer.current = setTimeout(run, Math.max(DELAY_MS, last.current + MIN_INTERVAL_MS - performance.now()))
  }
}
