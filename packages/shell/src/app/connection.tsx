import { useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useLiveStatus } from '../live/live.tsx'
import styles from './frame.module.css'
import { shellWords } from './words.ts'

const WORDS = {
  live: ['live', 'liveHint'],
  connecting: ['liveConnecting', 'liveConnectingHint'],
  away: ['liveAway', 'liveAwayHint'],
  closed: ['liveClosed', 'liveClosedHint'],
} as const

/** How the live channel stands, in a word, a shape and a colour. */
export function Connection(): ReactNode {
  const t = useWords(shellWords)
  const status = useLiveStatus()
  const [word, hint] = WORDS[status]
  return (
    <span className={styles.connection} data-status={status} role="status" title={t(hint)}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {status === 'live' ? <circle cx="6" cy="6" r="4" /> : <path d="M6 1.5 11 10.5H1z" />}
      </svg>
      {t(word)}
    </span>
  )
}
