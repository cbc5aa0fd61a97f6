import { useEffect, useState } from 'react'
import { useValueStore } from '../live/live.tsx'

const MIN_INTERVAL_MS = 1000

/** A number that increases when values of the building change, at most once a second. */
export function useValueChanges(): number {
  const values = useValueStore()
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    // The first values are shown immediately.
    let delayMs = 0
    const end = values.watchAll(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        delayMs = MIN_INTERVAL_MS
        setChanges((n) => n + 1)
      }, delayMs)
    })
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [values])
  return changes
}
