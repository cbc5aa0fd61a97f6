import { useEffect, useRef } from 'react'

/** Does it every so often while the page is looked at, and at once when it is looked at again after a missed turn. */
export function useEvery(everyMs: number, act: () => void): void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  useEffect(() => {
    let isMissed = false
    const turn = () => {
      isMissed = document.hidden
      if (!document.hidden) latest.current()
    }
    const look = () => {
      if (isMissed) turn()
    }
    const timer = setInterval(turn, everyMs)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [everyMs])
}

/** Reads again every so often. An answer that is still on its way is waited for. */
export function useLookAgain({ isLoading, reload }: { isLoading: boolean; reload(): void }, everyMs: number): void {
  useEvery(everyMs, () => {
    if (!isLoading) reload()
  })
}
