import { useEffect, useState } from 'react'
import type { Colouring } from './colouring.ts'

const MIN_INTERVAL_MS = 500

/** Counts up when values change, at most twice a second. */
export function useChangeCount(colouring: Colouring | undefined): number {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = colouring?.watch?.(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        setChanges((n) => n + 1)
      }, MIN_INTERVAL_MS)
    })
    return () => {
      clearTimeout(timer)
      end?.()
    }
  }, [colouring])
  return changes
}
