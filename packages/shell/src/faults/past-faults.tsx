import { Button, EmptyState, ErrorPanel, LoadingState, Panel, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { FaultTable } from './fault-table.tsx'
import { Foot } from './foot.tsx'
import type { Severity } from './severities.ts'
import { useFaultRules, useFaults, useNewRules } from './use-faults.ts'
import { faultWords } from './words.ts'

const STATES = ['resolved'] as const
const [PAGE, MOST] = [50, 200]

export function PastFaults({ severity }: { severity: Severity | undefined }): ReactNode {
  const t = useWords(faultWords)
  const [limit, setLimit] = useState(PAGE)
  const rules = useFaultRules()
  const list = useFaults(STATES, { limit, ...(severity ? { severity } : {}) })
  useNewRules(rules, list.data?.rows)
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
            <Foot total={list.data.total}>
              {list.data.total > list.data.rows.length && limit < MOST ? (
                <Button small label={t('more')} onClick={() => setLimit(MOST)} />
              ) : null}
            </Foot>
          ) : null}
        </>
      ) : list.error === undefined ? (
        <LoadingState />
      ) : null}
    </Panel>
  )
}
