import { type Format, useFormat, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { useNow } from './now.ts'

/** The tolerated clock difference between a sensor and the browser. */
const TOLERANCE_MS = 10_000
const isInFuture = (at: number, now: number) => at > now + TOLERANCE_MS

/** "5 minutes ago", "now" for a timestamp up to `TOLERANCE_MS` in the future, or "in 1 hour" for a later one. */
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
