import { Button, EmptyState, ErrorPanel, LoadingState, Panel, useLoad, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { FaultTable } from './fault-table.tsx'
import { Foot } from './foot.tsx'
import type { Severity } from './severities.ts'
import { faultWords } from './words.ts'

const [PAGE, MOST] = [50, 200]

export function PastFaults({ severity }: { severity: Severity | undefined }): ReactNode {
  const t = useWords(faultWords)
  const { api } = useShell()
  const [limit, setLimit] = useState(PAGE)
  const list = useLoad(
    (signal) => api.faults.list({ state: 'resolved', limit, ...(severity ? { severity } : {}) }, { signal }),
    [severity, limit],
  )
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
          <FaultTable caption={t('past')} faults={list.data.data} empty={none} />
          {list.data.total > 0 ? (
            <Foot total={list.data.total}>
              {list.data.total > list.data.data.length && limit < MOST ? (
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
