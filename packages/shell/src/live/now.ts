import { useSyncExternalStore } from 'react'

const TICK_MS = 5000
const listeners = new Set<() => void>()
let ticks = 0
let timer: ReturnType<typeof setInterval> | undefined

/** One timer for all components. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    ticks += 1
    for (const notify of listeners) notify()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The current time, updated every few seconds. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => ticks)
  return Date.now()
}
