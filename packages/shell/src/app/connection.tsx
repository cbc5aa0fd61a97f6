import { Link, useFormat, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { ageText } from '../live/age.tsx'
import { flowOf, useLastValues } from '../live/data-flow.ts'
import { useLiveStatus } from '../live/live.tsx'
import { useSimulation } from '../simulation/use-simulation.ts'
import styles from './connection.module.css'
import { shellTexts } from './texts.ts'

const DISCONNECTED = {
  connecting: ['liveConnecting', 'liveConnectingHint'],
  away: ['liveAway', 'liveAwayHint'],
  closed: ['liveClosed', 'liveClosedHint'],
} as const

const FLOWS = { flowing: 'dataFlowing', stopped: 'simulationStopped', idle: 'noData' } as const

/** Whether the page is connected to the live channel, and whether values arrive. Leads to the simulation. */
export function Connection(): ReactNode {
  const t = useTexts(shellTexts)
  const format = useFormat()
  const status = useLiveStatus()
  const values = useLastValues()
  const { data } = useSimulation()
  const now = Date.now()
  if (status !== 'live') {
    const [label, hint] = DISCONNECTED[status]
    return (
      <Link to="/simulation" className={styles.connection!} data-status={status} title={t(hint)}>
        <Shape of={status} />
        <span role="status">
          <span>{t(label)}</span>
        </span>
      </Link>
    )
  }
  const flow = flowOf(values, now, data?.record.running)
  const last = values.at === undefined ? t('noValuesYet') : t('lastValue', { age: ageText(values.at, now, format) })
  const simulation = data ? (data.record.running ? t('simulationRuns', { n: data.record.speed }) : t('simulationIsStopped')) : ''
  return (
    <Link
      to="/simulation"
      className={styles.connection!}
      data-status={flow}
      title={[t('liveHint'), last, simulation].filter(Boolean).join(' ')}
    >
      <Shape of={flow} />
      <span role="status">
        <span>{t('live')}</span> <span className={styles.flow}>{t(FLOWS[flow])}</span>
      </span>
    </Link>
  )
}

/** A disc while data flows, a ring while connected without data, a square when stopped, a triangle otherwise. */
function Shape({ of }: { of: string }): ReactNode {
  return (
    <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {of === 'flowing' ? (
        <circle cx="6" cy="6" r="4" />
      ) : of === 'idle' ? (
        <circle cx="6" cy="6" r="3.5" className={styles.ring} />
      ) : of === 'stopped' ? (
        <path d="M2.5 2.5h7v7h-7z" />
      ) : (
        <path d="M6 1.5 11 10.5H1z" />
      )}
    </svg>
  )
}
