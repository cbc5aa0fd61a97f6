import type { KeyRecord } from '@storey/sdk'
import { Badge, Button, ButtonLink, type Column, Table, useFormat, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { keyTexts } from './key-texts.ts'

const TONES = { active: 'good', expired: 'neutral', revoked: 'bad' } as const

interface KeyTableProps {
  rows: readonly KeyRecord[]
  onRevoke(record: KeyRecord): void
  empty: ReactNode
}

export function KeyTable({ rows, onRevoke, empty }: KeyTableProps): ReactNode {
  const t = useTexts(keyTexts)
  const format = useFormat()
  const timeCell = (at: string | null, none: string) =>
    at === null ? (
      none
    ) : (
      <span className="cell-title">
        {format.relative(at)}
        <small>{format.dateTime(at)}</small>
      </span>
    )
  const columns: Column<KeyRecord>[] = [
    {
      key: 'label',
      title: t('label'),
      isHeader: true,
      cell: ({ label, keyId }) => (
        <span className="cell-title">
          {label}
          <small className="mono">{keyId}</small>
        </span>
      ),
    },
    { key: 'scope', title: t('scope'), cell: ({ scope }) => t(scope) },
    { key: 'status', title: t('status'), cell: ({ status }) => <Badge tone={TONES[status]}>{t(status)}</Badge> },
    { key: 'expires', title: t('expires'), cell: ({ expiresAt }) => timeCell(expiresAt, t('never')) },
    { key: 'used', title: t('lastUsed'), cell: ({ lastUsedAt }) => timeCell(lastUsedAt, t('notYet')) },
    {
      key: 'actions',
      title: t('actions'),
      hideTitle: true,
      cell: (record) => (
        <span className="cell-actions">
          <ButtonLink
            to={`/audit?keyId=${record.keyId}`}
            label={t('seeAudit')}
            icon="list"
            kind="quiet"
            small
            aria-label={`${t('seeAudit')}: ${record.label}`}
          />
          {record.status === 'active' ? (
            <Button
              label={t('revoke')}
              kind="danger"
              small
              aria-label={`${t('revoke')}: ${record.label}`}
              onClick={() => onRevoke(record)}
            />
          ) : null}
        </span>
      ),
    },
  ]
  return <Table caption={t('title')} columns={columns} rows={rows} rowKey={({ keyId }) => keyId} empty={empty} />
}
