import type { SandboxRecord } from '@storey/sdk'
import {
  ButtonLink,
  type Column,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Note,
  Page,
  Panel,
  Table,
  useFormat,
  useTexts,
} from '@storey/web'
import type { ReactNode } from 'react'
import { usePortal } from '../app/api.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { sandboxTexts } from './sandbox-texts.ts'
import { StatusCell } from './status-badge.tsx'
import { activeOf, useSandboxes } from './use-sandboxes.ts'

export function SandboxListPage(): ReactNode {
  const t = useTexts(sandboxTexts)
  usePageTitle(t('title'))
  const { data, error, reload } = useSandboxes()
  const create = <ButtonLink to="/sandboxes/new" label={t('create')} icon="plus" kind="primary" />
  const max = usePortal().config.maxActiveSandboxes
  return (
    <Page title={t('title')} lead={t('lead')} actions={data && data.length > 0 ? create : undefined}>
      <ErrorPanel error={error} onRetry={reload} />
      {data && activeOf(data) >= max ? <Note tone="warn">{t('quotaFull', { n: activeOf(data), max })}</Note> : null}
      {data ? (
        <Panel flush>
          <SandboxTable
            rows={data}
            empty={<EmptyState icon="building" title={t('emptyTitle')} text={t('emptyText')} action={create} />}
          />
        </Panel>
      ) : error ? null : (
        <LoadingState />
      )}
      {data && data.length > 0 ? <p className="st-quiet">{t('quotaUsed', { n: activeOf(data), max })}</p> : null}
    </Page>
  )
}

function SandboxTable({ rows, empty }: { rows: readonly SandboxRecord[]; empty: ReactNode }): ReactNode {
  const t = useTexts(sandboxTexts)
  const format = useFormat()
  const columns: Column<SandboxRecord>[] = [
    {
      key: 'name',
      title: t('name'),
      isHeader: true,
      cell: ({ sandboxId, name, slug }) => (
        <span className="cell-title">
          <Link to={`/sandboxes/${sandboxId}`}>{name}</Link>
          <small className="mono">{slug}</small>
        </span>
      ),
    },
    { key: 'status', title: t('status'), cell: (record) => <StatusCell record={record} /> },
    {
      key: 'building',
      title: t('building'),
      cell: ({ buildingType, storeys, areaSqm }) => (
        <span className="cell-title">
          {t(buildingType)}
          <small>
            {t('storeys', { n: storeys })} · {t('sqm', { area: format.number(areaSqm) })}
          </small>
        </span>
      ),
    },
    {
      key: 'expires',
      title: t('expires'),
      cell: ({ expiresAt }) => (
        <span className="cell-title">
          {format.relative(expiresAt)}
          <small>{format.dateTime(expiresAt)}</small>
        </span>
      ),
    },
    {
      key: 'actions',
      title: t('actions'),
      hideTitle: true,
      cell: ({ sandboxId, name, status, consoleUrl }) =>
        status === 'ready' ? (
          <span className="cell-actions">
            <ButtonLink
              to={`/sandboxes/${sandboxId}/connect`}
              label={t('connect')}
              icon="plug"
              small
              aria-label={`${t('connect')}: ${name}`}
            />
            {consoleUrl ? (
              <ButtonLink
                to={`/sandboxes/${sandboxId}/console`}
                label={t('console')}
                icon="external"
                small
                aria-label={`${t('console')}: ${name}`}
              />
            ) : null}
          </span>
        ) : null,
    },
  ]
  return (
    <Table caption={t('title')} columns={columns} rows={rows} rowKey={({ sandboxId }) => sandboxId} empty={empty} />
  )
}
