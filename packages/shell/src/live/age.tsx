import { useFormat, useWords } from '@storey/web'
import { type ReactNode, useSyncExternalStore } from 'react'
import { shellWords } from '../app/words.ts'
import { useBuildingTimes } from '../building/building-times.ts'

const EVERY_MS = 5000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all ages on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const tell of listeners) tell()
  }, EVERY_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time, every few seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** How old a value is; the moment itself as a hint. */
export function Age({ at }: { at: number | undefined }): ReactNode {
  const t = useWords(shellWords)
  const format = useFormat()
  const times = useBuildingTimes()
  const present = useNow()
  if (at === undefined) return <span className="st-quiet">{t('never')}</span>
  return (
    <time dateTime={new Date(at).toISOString()} title={times.dateTime(at)}>
      {format.relative(at, Math.max(present, at))}
    </time>
  )
}
