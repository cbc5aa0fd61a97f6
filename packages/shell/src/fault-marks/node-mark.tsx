import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useFaultTitle } from '../faults/fault-title.ts'
import { faultTexts } from '../faults/texts.ts'
import { faultMark } from './fault-index.ts'
import styles from './fault-marks.module.css'
import { SeverityMark } from './severity-mark.tsx'
import { useFaultIndex } from './use-fault-index.ts'

const MAX_TITLES = 5

/** Marks a storey, room, element or point that has active faults. Without faults it shows nothing. */
export function NodeMark({ nodeId, showsCount = false }: { nodeId: string; showsCount?: boolean }): ReactNode {
  const t = useTexts(faultTexts)
  const titleOf = useFaultTitle()
  const faults = useFaultIndex().at(nodeId)
  const mark = faultMark(faults)
  if (!mark) return null
  const titles = faults.slice(0, MAX_TITLES).map(({ title }) => titleOf(title))
  const more = faults.length > MAX_TITLES ? ['…'] : []
  const summary = `${t(mark.severity)}, ${t(mark.isAcknowledged ? 'acknowledged' : 'open').toLowerCase()}`
  return (
    <span
      className={styles.node}
      title={[`${t('count', { n: mark.count })}: ${summary}`, ...titles, ...more].join('\n')}
    >
      <SeverityMark {...mark} />
      {showsCount ? <span aria-hidden="true">{mark.count}</span> : null}
      <span className="st-visually-hidden">{`${t('count', { n: mark.count })}: ${summary}`}</span>
    </span>
  )
}
