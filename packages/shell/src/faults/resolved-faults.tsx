import { Button, EmptyState, ErrorPanel, LoadingState, Panel, useTexts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { FaultTable } from './fault-table.tsx'
import type { Severity } from './severities.ts'
import { TableFooter } from './table-footer.tsx'
import { faultTexts } from './texts.ts'
import { useFaultRules, useFaults, useReloadOnNewRule } from './use-faults.ts'

const STATES = ['resolved'] as const
const [PAGE_SIZE, MAX_PAGE_SIZE] = [50, 200]

export function ResolvedFaults({ severity }: { severity: Severity | undefined }): ReactNode {
  const t = useTexts(faultTexts)
  const [limit, setLimit] = useState(PAGE_SIZE)
  const rules = useFaultRules()
  const list = useFaults(STATES, { limit, ...(severity ? { severity } : {}) })
  useReloadOnNewRule(rules, list.data?.rows)
  const none = severity ? (
    <EmptyState icon="search" title={t('noneFiltered')} />
  ) : (
    <EmptyState icon="clock" title={t('nonePast')} text={t('nonePastText')} />
  )
  return (
    <Panel flush>
      <ErrorPanel error={list.error} onRetry={list.reload} />
      {list.data ? (
        <>
          <FaultTable caption={t('past')} faults={list.data.rows} rules={rules.byId} empty={none} />
          {list.data.total > 0 ? (
            <TableFooter total={list.data.total}>
              {list.data.total > list.data.rows.length && limit < MAX_PAGE_SIZE ? (
                <Button small label={t('more')} onClick={() => setLimit(MAX_PAGE_SIZE)} />
              ) : null}
            </TableFooter>
          ) : null}
        </>
      ) : list.error === undefined ? (
        <LoadingState />
      ) : null}
    </Panel>
  )
}
