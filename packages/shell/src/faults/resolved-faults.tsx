import { Button, DataTable, EmptyState, ErrorPanel, LoadingState, Panel, useTexts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useFaultColumns } from './fault-columns.tsx'
import { NotAllLoaded } from './not-all-loaded.tsx'
import { faultTexts } from './texts.ts'
import { useFaultRules, useReloadOnNewRule, useResolvedFaults } from './use-faults.ts'

const STATES = ['resolved'] as const
const [FIRST, MAX] = [200, 2000]

/** The resolved faults, newest first. */
export function ResolvedFaults(): ReactNode {
  const t = useTexts(faultTexts)
  const [limit, setLimit] = useState(FIRST)
  const rules = useFaultRules()
  const list = useResolvedFaults(limit)
  useReloadOnNewRule(rules, list.data?.rows)
  const columns = useFaultColumns({ rules: rules.byId, states: STATES })
  return (
    <Panel flush isBusy={list.isPrevious}>
      <ErrorPanel error={list.error} onRetry={list.reload} />
      {list.data ? (
        <>
          <NotAllLoaded shown={list.data.rows.length} total={list.data.total}>
            {limit < MAX ? (
              <Button small label={t('more')} isBusy={list.isPrevious} onClick={() => setLimit(MAX)} />
            ) : null}
          </NotAllLoaded>
          <DataTable
            name="resolved-faults"
            caption={t('past')}
            rows={list.data.rows}
            rowKey={({ id }) => id}
            columns={columns}
            search
            empty={<EmptyState icon="clock" title={t('nonePast')} text={t('nonePastText')} />}
          />
        </>
      ) : list.error === undefined ? (
        <LoadingState />
      ) : null}
    </Panel>
  )
}
