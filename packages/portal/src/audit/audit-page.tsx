import type { AuditRecord } from '@storey/sdk'
import {
  Button,
  EmptyState,
  ErrorPanel,
  focusPathOf,
  LoadingState,
  Note,
  navigate,
  Page,
  Panel,
  returnFocus,
  setQuery,
  useAction,
  useLoad,
  useRoute,
  useTexts,
} from '@storey/web'
import type { ReactNode } from 'react'
import { usePortal } from '../app/api.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { AuditFilterBar } from './audit-filter-bar.tsx'
import { auditQueryOf, filtersOf, ignoredIn } from './audit-filters.ts'
import { AuditTable } from './audit-table.tsx'
import { auditTexts } from './audit-texts.ts'

interface Rows {
  rows: AuditRecord[]
  nextBefore: number | null
}

export function AuditPage(): ReactNode {
  const t = useTexts(auditTexts)
  usePageTitle(t('title'))
  const { api } = usePortal()
  const { query } = useRoute()
  const filters = filtersOf(query)
  const ignored = ignoredIn(query)
  const { data, error, isLoading, reload, setData } = useLoad<Rows>(['audit', filters], async (signal) => {
    const { data: rows, nextBefore } = await api.keys.audit(auditQueryOf(filters), { signal })
    return { rows, nextBefore }
  })
  const older = useAction(async () => {
    if (!data || data.nextBefore === null) return
    const page = await api.keys.audit(auditQueryOf(filters, data.nextBefore))
    setData({ rows: [...data.rows, ...page.data], nextBefore: page.nextBefore })
  })
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={<Button label={t('refresh')} icon="reset" isBusy={isLoading && data !== undefined} onClick={reload} />}
    >
      <AuditFilterBar filters={filters} />
      {ignored.length > 0 ? (
        <Note tone="warn">
          <p>
            {t('ignored', {
              n: ignored.length,
              filters: ignored.map(({ name, value }) => `${name}=${value}`).join(', '),
            })}
          </p>
          <Button
            label={t('removeIgnored')}
            small
            onClick={({ currentTarget }) => {
              returnFocus(focusPathOf(currentTarget))
              setQuery(Object.fromEntries(ignored.map(({ name }) => [name, null])))
            }}
          />
        </Note>
      ) : null}
      <ErrorPanel error={error} onRetry={reload} />
      {data ? (
        <Panel flush>
          <AuditTable
            rows={data.rows}
            empty={
              <EmptyState
                icon="list"
                title={t('emptyTitle')}
                text={t('emptyText')}
                action={query.size > 0 ? <Button label={t('clear')} onClick={() => navigate('/audit')} /> : null}
              />
            }
          />
        </Panel>
      ) : error ? null : (
        <LoadingState />
      )}
      {data && data.rows.length > 0 ? (
        data.nextBefore === null ? (
          <p className="st-quiet">{t('end')}</p>
        ) : (
          <div className="st-row">
            <Button label={t('more')} isBusy={older.isBusy} onClick={() => void older.run()} />
          </div>
        )
      ) : null}
      <ErrorPanel error={older.error} />
    </Page>
  )
}
