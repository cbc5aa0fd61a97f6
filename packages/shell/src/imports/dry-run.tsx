import { Button, EmptyState, Note, Panel, useFormat, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { ChangePlan } from '../history/change-plan.tsx'
import { ChangesTable } from '../history/changes-table.tsx'
import styles from './imports.module.css'
import type { Checked } from './send-rows.ts'
import { tableTexts } from './table-texts.ts'

interface DryRunProps {
  checked: Checked
  /** The building has changed since the check. */
  isOutdated: boolean
  isBusy: boolean
  onApply(): void
}

/** What an import would change, on a plan and in a table as on the page of the history. */
export function DryRun({ checked, isOutdated, isBusy, onApply }: DryRunProps): ReactNode {
  const t = useTexts(tableTexts)
  const format = useFormat()
  const building = useBuildingData()
  const { created, updated, unchanged, changes = [] } = checked.result
  const top = useRef<HTMLDivElement>(null)
  // The result is below the form, often outside the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to each new result
  useEffect(() => {
    top.current?.scrollIntoView({ block: 'start' })
  }, [checked])
  if (changes.length === 0) {
    return (
      <div ref={top}>
        <Panel>
          <EmptyState icon="check" title={t('noChanges')} text={t('noChangesText')} level={3} />
        </Panel>
      </div>
    )
  }
  const counts: [string, number][] = [
    [t('created'), created],
    [t('updated'), updated],
    [t('unchanged'), unchanged],
  ]
  return (
    <div className={styles.result} ref={top}>
      <Panel>
        <div className="st-stack">
          <dl className={styles.counts}>
            {counts.map(([name, n]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{format.number(n)}</dd>
              </div>
            ))}
          </dl>
          {isOutdated ? <Note tone="warn">{t('outdated')}</Note> : <p className="st-quiet">{t('nothingYet')}</p>}
          <div className="st-row">
            <Button
              kind="primary"
              label={t('apply', { n: changes.length })}
              isBusy={isBusy}
              disabled={isOutdated}
              onClick={onApply}
            />
          </div>
        </div>
      </Panel>
      <div className={styles.columns}>
        <Panel title={t('plan')}>
          <ChangePlan changes={changes} graph={building} />
        </Panel>
        <Panel title={t('changes')} flush>
          <ChangesTable changes={changes} graph={building} caption={t('changes')} />
        </Panel>
      </div>
    </div>
  )
}
