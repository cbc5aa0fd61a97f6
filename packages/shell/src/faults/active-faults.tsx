import type { FaultRecord } from '@storey/sdk'
import { DataTable, EmptyState, ErrorPanel, LoadingState, Panel, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useLiveEvent } from '../live/live.tsx'
import { BulkAcknowledge } from './bulk-acknowledge.tsx'
import { useFaultColumns } from './fault-columns.tsx'
import { useFaultTitle } from './fault-title.ts'
import { NotAllLoaded } from './not-all-loaded.tsx'
import { byUrgency } from './severities.ts'
import { faultTexts } from './texts.ts'
import { useActiveFaults, useFaultRules, useReloadOnNewRule } from './use-faults.ts'

const STATES = ['open', 'acknowledged'] as const
const NONE: ReadonlySet<string> = new Set()

/** The active faults, most urgent first, updated automatically. */
export function ActiveFaults(): ReactNode {
  const t = useTexts(faultTexts)
  const { may } = useShell()
  const toasts = useToasts()
  const titleOf = useFaultTitle()
  const rules = useFaultRules()
  const list = useActiveFaults()
  useReloadOnNewRule(rules, list.data?.rows)
  useLiveEvent('building.alarm.triggered', ({ title }) => toasts.show(t('appeared', { title: titleOf(title) }), 'bad'))
  const rows = useMemo(() => list.data?.rows.toSorted(byUrgency), [list.data])
  const [selected, setSelected] = useState(NONE)

  const latest = useRef(list)
  latest.current = list
  /** Shows the changed faults immediately, then reloads the list. */
  const onChange = useCallback((...changed: readonly FaultRecord[]) => {
    const { data, setData, reload } = latest.current
    const byId = new Map(changed.map((fault) => [fault.id, fault]))
    if (data) setData({ ...data, rows: data.rows.map((row) => byId.get(row.id) ?? row) })
    reload()
  }, [])
  const columns = useFaultColumns({ rules: rules.byId, states: STATES, onChange })
  const openIds = useMemo(() => new Set(rows?.filter(({ state }) => state === 'open').map(({ id }) => id)), [rows])
  const chosen = useMemo(() => [...selected].filter((id) => openIds.has(id)), [selected, openIds])
  return (
    <Panel flush>
      <ErrorPanel error={list.error} onRetry={list.reload} />
      {list.data && rows ? (
        <>
          <NotAllLoaded which="mostSevere" shown={rows.length} total={list.data.total} />
          <DataTable
            name="faults"
            caption={t('active')}
            rows={rows}
            rowKey={({ id }) => id}
            columns={columns}
            search
            selection={may('building.faults:write') ? { selected, onChange: setSelected } : undefined}
            actions={
              may('building.faults:write') ? (
                <BulkAcknowledge
                  faultIds={chosen}
                  onDone={(faults) => {
                    setSelected(NONE)
                    onChange(...faults)
                  }}
                />
              ) : null
            }
            empty={<EmptyState icon="check" title={t('none')} text={t('noneText')} />}
          />
        </>
      ) : list.error === undefined ? (
        <LoadingState />
      ) : null}
    </Panel>
  )
}
