import type { FaultRecord } from '@storey/sdk'
import { EmptyState, ErrorPanel, LoadingState, Panel, useLoad, useToasts, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useLiveEvent } from '../live/live.tsx'
import { FaultTable } from './fault-table.tsx'
import { Foot } from './foot.tsx'
import { byUrgency, type Severity } from './severities.ts'
import { useSoon } from './use-soon.ts'
import { faultWords } from './words.ts'

/** Faults that end say nothing; they are looked for now and then. */
const AGAIN_MS = 30_000
const MOST = 200

/** What is wrong now. A new one appears by itself. */
export function FaultsGoingOn({ severity }: { severity: Severity | undefined }): ReactNode {
  const t = useWords(faultWords)
  const { api } = useShell()
  const toasts = useToasts()
  const filter = severity ? { severity } : {}
  const list = useLoad(
    async (signal) => {
      const [open, seen] = await Promise.all([
        api.faults.list({ state: 'open', limit: MOST, ...filter }, { signal }),
        api.faults.list({ state: 'acknowledged', limit: MOST, ...filter }, { signal }),
      ])
      return { rows: [...open.data, ...seen.data].sort(byUrgency), total: open.total + seen.total }
    },
    [severity],
    { again: () => AGAIN_MS },
  )
  const soon = useSoon(list.reload)
  useLiveEvent('building.alarm.triggered', ({ title }) => {
    toasts.show(t('appeared', { title }), 'bad')
    soon()
  })
  const change = (fault: FaultRecord) => {
    const { data } = list
    if (data)
      list.setData({ ...data, rows: data.rows.map((row) => (row.id === fault.id ? fault : row)).sort(byUrgency) })
  }
  const none = severity ? (
    <EmptyState icon="search" title={t('noneFiltered')} />
  ) : (
    <EmptyState icon="check" title={t('none')} text={t('noneText')} />
  )
  return (
    <Panel flush>
      <ErrorPanel error={list.error} onRetry={list.reload} />
      {list.data ? (
        <>
          <FaultTable caption={t('going')} faults={list.data.rows} onChange={change} empty={none} />
          {list.data.total > 0 ? <Foot total={list.data.total} /> : null}
        </>
      ) : list.error === undefined ? (
        <LoadingState />
      ) : null}
    </Panel>
  )
}
