import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useLiveStatus } from '../live/live.tsx'
import styles from './frame.module.css'
import { shellTexts } from './texts.ts'

const LABELS = {
  live: ['live', 'liveHint'],
  connecting: ['liveConnecting', 'liveConnectingHint'],
  away: ['liveAway', 'liveAwayHint'],
  closed: ['liveClosed', 'liveClosedHint'],
} as const

/** The status of the live channel, as text, shape and colour. */
export function Connection(): ReactNode {
  const t = useTexts(shellTexts)
  const status = useLiveStatus()
  const [label, hint] = LABELS[status]
  return (
    <span className={styles.connection} data-status={status} role="status" title={t(hint)}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {status === 'live' ? <circle cx="6" cy="6" r="4" /> : <path d="M6 1.5 11 10.5H1z" />}
      </svg>
      {t(label)}
    </span>
  )
}
