import { type Format, useFormat, useTexts } from '@storey/web'
import { type ReactNode, useSyncExternalStore } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingTimes } from '../building/building-times.ts'

const TICK_MS = 5000
const listeners = new Set<() => void>()
let ticks = 0
let timer: ReturnType<typeof setInterval> | undefined

/** One timer for all ages on the page. */
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

/** The tolerated clock difference between a sensor and the browser. */
const TOLERANCE_MS = 10_000
const isInFuture = (at: number, now: number) => at > now + TOLERANCE_MS

/** "5 minutes ago", or "in 1 hour" for a timestamp in the future. */
export const ageText = (at: number, now: number, { relative }: Pick<Format, 'relative'>): string =>
  relative(at, isInFuture(at, now) ? now : Math.max(now, at))

/** The age of a value, with its time as tooltip. */
export function Age({ at }: { at: number | undefined }): ReactNode {
  const t = useTexts(shellTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const now = useNow()
  if (at === undefined) return <span className="st-quiet">{t('never')}</span>
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={isInFuture(at, now) ? t('inFuture', { time: times.dateTime(at) }) : times.dateTime(at)}
    >
      {ageText(at, now, format)}
    </time>
  )
}
