import { Link, Note, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { flowOf } from '../live/data-flow.ts'
import { useArrivalTimes } from '../live/live.tsx'
import { useSimulation } from '../simulation/use-simulation.ts'
import { overviewTexts } from './texts.ts'

/** Explains why no value on the page changes, and links to the page on which the simulation can be started. */
export function StoppedNotice(): ReactNode {
  const t = useTexts(overviewTexts)
  const { data } = useSimulation()
  const times = useArrivalTimes()
  if (!data || flowOf(times, Date.now(), data.record) !== 'stopped') return null
  return (
    <Note tone="info">
      {t('stopped')} <Link to="/simulation">{t('toSimulation')}</Link>
    </Note>
  )
}
