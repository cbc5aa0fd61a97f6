import type { InjectedRecord } from '@storey/sdk'
import { Button, EmptyState, ErrorPanel, Link, Panel, useAction, useLocale, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import type { ApiAccess } from '../access/api-access.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { durationText } from './durations.ts'
import { nodeLink } from './node-link.ts'
import { remainingOf } from './simulated-clock.ts'
import styles from './simulation.module.css'
import { simulationTexts } from './texts.ts'
import type { ReadSimulation } from './use-simulation.ts'

interface InjectedFaultsProps {
  simulation: ReadSimulation
  access: ApiAccess
  onEnded(): void
}

/** The injected faults that are active. */
export function InjectedFaults({ simulation, access, onEnded }: InjectedFaultsProps): ReactNode {
  const t = useTexts(simulationTexts)
  const times = useBuildingTimes()
  const mayEnd = access.may('building.simulation:write')
  const { faults } = simulation.record
  if (faults.length === 0) {
    return (
      <Panel title={t('faults')} flush>
        <EmptyState icon="check" title={t('noFaults')} text={t('noFaultsText')} level={3} />
      </Panel>
    )
  }
  return (
    <Panel title={t('faults')} lead={t('faultsLead')} flush>
      <ul className={styles.faults} aria-label={t('faults')}>
        {faults.map((fault) => (
          <li key={fault.id}>
            <span className={styles.node}>
              <strong>{t(fault.fault)}</strong>
              <span className={styles.detail}>{t('began', { time: times.minute(fault.startsAt) })}</span>
            </span>
            <NodeLink id={fault.nodeId} />
            <Remaining fault={fault} simulation={simulation} />
            {mayEnd ? <EndButton fault={fault} access={access} onEnded={onEnded} /> : null}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function NodeLink({ id }: { id: string }): ReactNode {
  const t = useTexts(simulationTexts)
  const building = useBuildingData()
  const node = nodeLink(building, id)
  if (!node) return <span className="st-quiet">{t('gone')}</span>
  const place = [building.spaceOf(id)?.name, building.storeyOf(id)?.name].filter((name) => name && name !== node.name)
  return (
    <span className={styles.node}>
      <Link to={node.to}>{node.name}</Link>
      <span className={styles.detail}>{place.join(' · ')}</span>
    </span>
  )
}

function Remaining({ fault, simulation }: { fault: InjectedRecord; simulation: ReadSimulation }): ReactNode {
  const t = useTexts(simulationTexts)
  const locale = useLocale()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const { simulatedMs, realMs, share } = remainingOf(fault, simulation, now)
  const detail = realMs === undefined ? t('waits') : t('realLeft', { time: durationText(realMs, locale) })
  return (
    <span className={styles.node}>
      <span>{t('simulatedLeft', { time: durationText(simulatedMs, locale) })}</span>
      <meter className={styles.meter} min={0} max={1} value={share} aria-label={t('elapsed')} />
      <span className={styles.detail}>{detail}</span>
    </span>
  )
}

function EndButton({
  fault,
  access,
  onEnded,
}: {
  fault: InjectedRecord
  access: ApiAccess
  onEnded(): void
}): ReactNode {
  const t = useTexts(simulationTexts)
  const toasts = useToasts()
  const node = nodeLink(useBuildingData(), fault.nodeId)
  const { run, isBusy, error } = useAction(async () => {
    await access.api.simulation.endFault(fault.id)
    toasts.show(t('ended'), 'good', 'simulation')
    onEnded()
  })
  return (
    <>
      <Button
        small
        label={t('end')}
        aria-label={t('endOf', { fault: t(fault.fault), node: node?.name ?? t('gone') })}
        isBusy={isBusy}
        onClick={() => void run()}
      />
      <ErrorPanel error={error} />
    </>
  )
}
