import type { FaultRecord } from '@storey/sdk'
import { EmptyState, Link, Panel, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { SeverityMark } from '../fault-marks/severity-mark.tsx'
import { useFaultCounts, useFaultIndex } from '../fault-marks/use-fault-index.ts'
import { useFaultTitle } from '../faults/fault-title.ts'
import { faultTexts } from '../faults/texts.ts'
import { Age } from '../live/age.tsx'
import styles from './overview.module.css'
import { overviewTexts } from './texts.ts'

const MAX_FAULTS = 8

/** The most urgent active faults. */
export function Attention(): ReactNode {
  const t = useTexts(overviewTexts)
  const { all } = useFaultIndex()
  const data = useFaultCounts()
  return (
    <Panel title={t('attention')}>
      {data?.total === 0 ? (
        <EmptyState level={3} icon="check" title={t('nothingUrgent')} text={t('nothingUrgentText')} />
      ) : null}
      <ul className={styles.urgent}>
        {all.slice(0, MAX_FAULTS).map((fault) => (
          <UrgentFault key={fault.id} fault={fault} />
        ))}
      </ul>
      {data && data.total > MAX_FAULTS ? (
        <p className={styles.all}>
          <Link to="/faults">{t('allFaults', { n: data.total })}</Link>
        </p>
      ) : null}
    </Panel>
  )
}

function UrgentFault({ fault }: { fault: FaultRecord }): ReactNode {
  const text = useTexts(faultTexts)
  const titleOf = useFaultTitle()
  const model = useBuildingData()
  const { severity, state, title, detectedAt } = fault
  const nodeId = fault.pointId ?? fault.elementId ?? ''
  const room = model.spaceOf(nodeId)
  const storey = model.storeyOf(nodeId)
  const place = [room?.name, storey?.name].filter((part) => part !== undefined).join(' · ') || model.building.name
  const to = room
    ? `/plan?${new URLSearchParams({ storey: storey?.code ?? '', room: room.id })}`
    : `/elements/${fault.elementId ?? ''}`
  return (
    <li>
      <SeverityMark severity={severity} isAcknowledged={state === 'acknowledged'} size={18} />
      <span>
        <Link to={to}>
          <span className="st-visually-hidden">{text(severity)}: </span>
          {titleOf(title)}
        </Link>
        <small className="st-quiet">
          {place} · <Age at={Date.parse(detectedAt)} />
        </small>
      </span>
    </li>
  )
}
