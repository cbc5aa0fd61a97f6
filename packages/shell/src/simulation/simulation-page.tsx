import { ErrorPanel, LoadingState, Page, useTexts } from '@storey/web'
import { type ReactNode, useEffect } from 'react'
import { AccessNote } from '../access/access-note.tsx'
import { useApiAccess } from '../access/api-access.ts'
import { InjectForm } from './inject-form.tsx'
import { InjectedFaults } from './injected-faults.tsx'
import { RunPanel } from './run-panel.tsx'
import { remainingOf } from './simulated-clock.ts'
import styles from './simulation.module.css'
import { simulationTexts } from './texts.ts'
import { type ReadSimulation, useSimulation } from './use-simulation.ts'

/** The state is read again this long after a fault has ended. */
const AFTER_END_MS = 1_000
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** The state of the simulation, and the faults injected into it. */
export default function SimulationPage(): ReactNode {
  const t = useTexts(simulationTexts)
  const access = useApiAccess()
  const simulation = useSimulation()
  const { data, error, reload } = simulation
  useReloadAtEnd(data, reload)
  const onChange = (record: ReadSimulation['record']) => simulation.setData({ record, readAt: Date.now() })
  return (
    <Page title={t('title')} lead={t('lead')} wide>
      <AccessNote access={access} permission="building.simulation:write">
        {t('whoMayWrite')}
      </AccessNote>
      <ErrorPanel error={error} onRetry={reload} />
      {data ? (
        <div className={access.may('building.simulation:write') ? styles.columns : undefined}>
          <div className={styles.column}>
            <RunPanel simulation={data} access={access} onChange={onChange} />
            <InjectedFaults simulation={data} access={access} onEnded={reload} />
          </div>
          {access.may('building.simulation:write') ? (
            <InjectForm isRunning={data.record.running} access={access} onInjected={reload} />
          ) : null}
        </div>
      ) : error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}

/** No change is reported when a fault ends by itself, so the state is read again then. */
function useReloadAtEnd(simulation: ReadSimulation | undefined, reload: () => void): void {
  useEffect(() => {
    if (!simulation?.record.running) return
    const ends = simulation.record.faults.map((fault) => remainingOf(fault, simulation, Date.now()).realMs ?? 0)
    if (ends.length === 0) return
    const timer = setTimeout(reload, Math.min(MAX_TIMEOUT_MS, Math.min(...ends) + AFTER_END_MS))
    return () => clearTimeout(timer)
  }, [simulation, reload])
}
