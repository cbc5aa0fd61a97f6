import type { AuditRecord } from '@storey/sdk'
import { Badge, type Column, Link, Table, useFormat, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { auditTexts } from './audit-texts.ts'

const REASONS = {
  revoked: 'reasonRevoked',
  expired: 'reasonExpired',
  unknown: 'reasonUnknown',
  out_of_scope: 'reasonOutOfScope',
  account_disabled: 'reasonAccountDisabled',
} as const

export function AuditTable({ rows, empty }: { rows: readonly AuditRecord[]; empty: ReactNode }): ReactNode {
  const t = useTexts(auditTexts)
  const format = useFormat()
  const columns: Column<AuditRecord>[] = [
    {
      key: 'when',
      title: t('when'),
      cell: ({ at }) => (
        <span className="cell-title">
          {format.relative(at)}
          <small>{format.dateTime(at)}</small>
        </span>
      ),
    },
    {
      key: 'what',
      title: t('what'),
      cell: (row) => (
        <span className="audit-what">
          <EventText row={row} />
        </span>
      ),
    },
    {
      key: 'key',
      title: t('keyId'),
      cell: ({ keyId }) =>
        keyId === null ? (
          '—'
        ) : (
          <Link className="mono" to={`/audit?keyId=${keyId}`}>
            {keyId}
          </Link>
        ),
    },
    {
      key: 'who',
      title: t('who'),
      cell: ({ actor, keyId }) => (actor === null ? '—' : actor === keyId ? t('byKey') : actor),
    },
    {
      key: 'from',
      title: t('from'),
      cell: ({ sourceIp, userAgent }) => (
        <span className="cell-title">
          <span className="mono">{sourceIp ?? '—'}</span>
          {userAgent === null ? null : (
            <small className="audit-agent" title={userAgent}>
              {userAgent}
            </small>
          )}
        </span>
      ),
    },
    {
      key: 'outcome',
      title: t('outcome'),
      cell: ({ outcome }) => <Badge tone={outcome === 'allowed' ? 'good' : 'bad'}>{t(outcome)}</Badge>,
    },
  ]
  return <Table caption={t('title')} columns={columns} rows={rows} rowKey={({ id }) => id} empty={empty} />
}

function EventText({ row }: { row: AuditRecord }): ReactNode {
  const t = useTexts(auditTexts)
  const format = useFormat()
  const { action, scope, expiresAt, method, route, status, reason, count, firstAt } = row
  if (action === 'key.revoked') return t('revokedText')
  if (action === 'key.issued') {
    const scopeName = scope ?? 'full'
    return expiresAt === null
      ? t('issuedForever', { scope: scopeName })
      : t('issuedText', { scope: scopeName, date: format.date(expiresAt) })
  }
  const details = [
    status === null ? '' : t('status', { status: String(status) }),
    reason === null ? '' : t(REASONS[reason]),
    count === 1 ? '' : t('repeated', { n: count, time: format.dateTime(firstAt) }),
  ]
  return (
    <span className="cell-title">
      <span className="mono">{route === null ? t('usedUnknown') : t('usedText', { method: method ?? '', route })}</span>
      <small>{details.filter(Boolean).join(' · ')}</small>
    </span>
  )
}
