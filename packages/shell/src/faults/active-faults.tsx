import type { FaultRecord } from '@storey/sdk'
import { EmptyState, ErrorPanel, LoadingState, Panel, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useLiveEvent } from '../live/live.tsx'
import { FaultTable } from './fault-table.tsx'
import { useFaultTitle } from './fault-title.ts'
import { byUrgency, type Severity } from './severities.ts'
import { TableFooter } from './table-footer.tsx'
import { faultTexts } from './texts.ts'
import { useFaultRules, useFaults, useReloadOnNewRule } from './use-faults.ts'

const STATES = ['open', 'acknowledged'] as const
const MAX_ROWS = 200

/** The active faults, the newest `MAX_ROWS` of each state, updated automatically. */
export function ActiveFaults({ severity }: { severity: Severity | undefined }): ReactNode {
  const t = useTexts(faultTexts)
  const toasts = useToasts()
  const titleOf = useFaultTitle()
  const rules = useFaultRules()
  const list = useFaults(STATES, { limit: MAX_ROWS, ...(severity ? { severity } : {}) })
  useReloadOnNewRule(rules, list.data?.rows)
  useLiveEvent('building.alarm.triggered', ({ title }) => toasts.show(t('appeared', { title: titleOf(title) }), 'bad'))
  const rows = useMemo(() => list.data?.rows.toSorted(byUrgency), [list.data])
  const change = (fault: FaultRecord) => {
    const { data } = list
    // Shows the changed fault immediately, then reloads the list.
    if (data) list.setData({ ...data, rows: data.rows.map((row) => (row.id === fault.id ? fault : row)) })
    list.reload()
  }
  const none = severity ? (
    <EmptyState icon="search" title={t('noneFiltered')} />
  ) : (
    <EmptyState icon="check" title={t('none')} text={t('noneText')} />
  )
  return (
    <Panel flush>
      <ErrorPanel error={list.error} onRetry={list.reload} />
      {list.data && rows ? (
        <>
          <FaultTable caption={t('active')} faults={rows} rules={rules.byId} onChange={change} empty={none} />
          {list.data.total > 0 ? <TableFooter total={list.data.total} /> : null}
        </>
      ) : list.error === undefined ? (
        <LoadingState />
      ) : null}
    </Panel>
  )
}
