import { type Format, useFormat, useWords } from '@storey/web'
import { type ReactNode, useSyncExternalStore } from 'react'
import { shellWords } from '../app/words.ts'
import { useBuildingTimes } from '../building/building-times.ts'

const EVERY_MS = 5000
const listeners = new Set<() => void>()
let turns = 0
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all ages on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    turns += 1
    for (const tell of listeners) tell()
  }, EVERY_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time as it is when it is shown, and anew every few seconds. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => turns)
  return Date.now()
}

/** Clocks differ by so much: what they put a little ahead is of now. */
const TOLERANCE_MS = 10_000
const isAhead = (at: number, present: number) => at > present + TOLERANCE_MS

/** "5 minutes ago"; "in 1 hour" for what was stamped ahead of the clock. */
export const ageText = (at: number, present: number, { relative }: Pick<Format, 'relative'>): string =>
  relative(at, isAhead(at, present) ? present : Math.max(present, at))

/** How old a value is; the moment itself as a hint. */
export function Age({ at }: { at: number | undefined }): ReactNode {
  const t = useWords(shellWords)
  const format = useFormat()
  const times = useBuildingTimes()
  const present = useNow()
  if (at === undefined) return <span className="st-quiet">{t('never')}</span>
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={isAhead(at, present) ? t('ahead', { moment: times.dateTime(at) }) : times.dateTime(at)}
    >
      {ageText(at, present, format)}
    </time>
  )
}
