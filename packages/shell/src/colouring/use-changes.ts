import { useEffect, useState } from 'react'
import type { Colouring } from './colouring.ts'

const MOST_OFTEN_MS = 500

/** Counts up as values change, not more often than somebody can read. */
export function useChanges(colouring: Colouring | undefined): number {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = colouring?.watch?.(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        setChanges((n) => n + 1)
      }, MOST_OFTEN_MS)
    })
    return () => {
      clearTimeout(timer)
      end?.()
    }
  }, [colouring])
  return changes
}
