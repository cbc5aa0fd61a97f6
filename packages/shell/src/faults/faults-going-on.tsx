import type { FaultRecord } from '@storey/sdk'
import { EmptyState, ErrorPanel, LoadingState, Panel, useToasts, useWords } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useLiveEvent } from '../live/live.tsx'
import { FaultTable } from './fault-table.tsx'
import { useFaultTitle } from './fault-title.ts'
import { Foot } from './foot.tsx'
import { byUrgency, type Severity } from './severities.ts'
import { useFaultRules, useFaults, useNewRules } from './use-faults.ts'
import { faultWords } from './words.ts'

const STATES = ['open', 'acknowledged'] as const
const MOST = 200

/** What is wrong now. A new one appears by itself, and one that is over goes. */
export function FaultsGoingOn({ severity }: { severity: Severity | undefined }): ReactNode {
  const t = useWords(faultWords)
  const toasts = useToasts()
  const titleOf = useFaultTitle()
  const rules = useFaultRules()
  const list = useFaults(STATES, { limit: MOST, ...(severity ? { severity } : {}) }, rules.byId)
  useNewRules(rules, list.data?.rows)
  useLiveEvent('building.alarm.triggered', ({ title }) => toasts.show(t('appeared', { title: titleOf(title) }), 'bad'))
  const rows = useMemo(() => list.data?.rows.toSorted(byUrgency), [list.data])
  const change = (fault: FaultRecord) => {
    const { data } = list
    // At once what is known, and then what became of the others meanwhile.
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
          <FaultTable caption={t('going')} faults={rows} rules={rules.byId} onChange={change} empty={none} />
          {list.data.total > 0 ? <Foot total={list.data.total} /> : null}
        </>
      ) : list.error === undefined ? (
        <LoadingState />
      ) : null}
    </Panel>
  )
}
