import { Link, useFormat, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { ageText } from '../live/age.tsx'
import { type Flow, flowOf } from '../live/data-flow.ts'
import { useArrivalTimes, useLiveStatus } from '../live/live.tsx'
import { useSimulation } from '../simulation/use-simulation.ts'
import styles from './connection.module.css'
import { shellTexts } from './texts.ts'

const DISCONNECTED = {
  connecting: ['liveConnecting', 'liveConnectingHint'],
  away: ['liveAway', 'liveAwayHint'],
  closed: ['liveClosed', 'liveClosedHint'],
} as const

const FLOWS: Record<Flow, 'dataFlowing' | 'simulationStopped' | 'noData'> = {
  flowing: 'dataFlowing',
  stopped: 'simulationStopped',
  idle: 'noData',
}

/** Whether the page is connected to the live channel, and whether values arrive. Links to the simulation page. */
export function Connection(): ReactNode {
  const t = useTexts(shellTexts)
  const format = useFormat()
  const status = useLiveStatus()
  const times = useArrivalTimes()
  const { data } = useSimulation()
  const now = Date.now()
  const isConnected = status === 'live'
  const shown = isConnected ? flowOf(times, now, data?.record) : status
  const hints = isConnected
    ? [
        t('liveHint'),
        times.at === undefined ? t('noValuesYet') : t('lastValue', { age: ageText(times.at, now, format) }),
        data?.record.running
          ? t('simulationRuns', { n: data.record.speed })
          : data && !data.record.automatic
            ? t('simulationIsStopped')
            : '',
      ]
    : [t(DISCONNECTED[status][1])]
  return (
    <div role="status">
      <Link to="/simulation" className={styles.connection!} data-status={shown} title={hints.join(' ')}>
        <Shape of={shown} />
        {isConnected ? (
          <span>
            <span>{t('live')}</span> <span className={styles.flow}>{t(FLOWS[shown as Flow])}</span>
          </span>
        ) : (
          <span>{t(DISCONNECTED[status][0])}</span>
        )}
      </Link>
    </div>
  )
}

/**
 * A disc while data flows, a ring while connected without data, a square when the simulation is stopped, a triangle
 * while disconnected.
 */
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
