import type { ImportRecord, LeftOutEntity, RemovedNode } from '@storey/sdk'
import { type DataColumn, DataTable, Table, useFormat, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { leftOutReason } from './left-out-reasons.ts'
import { importTexts } from './texts.ts'

const KINDS = ['storeys', 'spaces', 'elements', 'points'] as const
const TITLES = { storeys: 'Storeys', spaces: 'Spaces', elements: 'Elements', points: 'Points' } as const

/** What an import changed, by kind. */
export function CountsTable({ counts }: { counts: NonNullable<ImportRecord['counts']> }): ReactNode {
  const t = useTexts(importTexts)
  const format = useFormat()
  const column = (key: 'created' | 'updated' | 'unchanged' | 'removed', title: string) => ({
    key,
    title,
    isNumeric: true,
    cell: (kind: (typeof KINDS)[number]) => format.number(counts[kind][key]),
  })
  return (
    <Table
      caption={t('counts')}
      rows={KINDS}
      rowKey={(kind) => kind}
      columns={[
        { key: 'kind', title: t('kind'), isHeader: true, cell: (kind) => t(TITLES[kind]) },
        column('created', t('Added')),
        column('updated', t('Changed')),
        column('unchanged', t('Unchanged')),
        column('removed', t('Removed')),
      ]}
    />
  )
}

interface NumberedEntity extends LeftOutEntity {
  /** The key of the row, because entities may have no GlobalId, or the same one. */
  n: number
}

/** The entities of a model that an import left out. */
export function LeftOutTable({ leftOut }: { leftOut: readonly LeftOutEntity[] }): ReactNode {
  const t = useTexts(importTexts)
  const locale = useLocale()
  const rows = useMemo(() => leftOut.map((entity, n) => ({ ...entity, n })), [leftOut])
  const columns = useMemo<DataColumn<NumberedEntity>[]>(
    () => [
      { key: 'name', title: t('name'), isHeader: true, value: ({ name }) => name || '—' },
      { key: 'ifcClass', title: t('ifcClass'), value: ({ ifcClass }) => ifcClass, filter: 'choice' },
      { key: 'reason', title: t('reason'), value: ({ reason }) => leftOutReason(reason, locale), filter: 'choice' },
      {
        key: 'globalId',
        title: t('globalId'),
        isOptional: true,
        value: ({ globalId }) => globalId,
        cell: ({ globalId }) => <code>{globalId}</code>,
      },
    ],
    [t, locale],
  )
  return (
    <DataTable
      name="left-out"
      caption={t('leftOut')}
      columns={columns}
      rows={rows}
      rowKey={({ n }) => String(n)}
      search
    />
  )
}

/** Nodes that clients created, and that the import removed together with their storey, room or equipment. */
export function RemovedTable({ removed }: { removed: readonly RemovedNode[] }): ReactNode {
  const t = useTexts(importTexts)
  const locale = useLocale()
  const columns = useMemo<DataColumn<RemovedNode>[]>(
    () => [
      { key: 'name', title: t('name'), isHeader: true, value: ({ name }) => name },
      { key: 'code', title: t('code'), value: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
      { key: 'kind', title: t('kind'), value: ({ kind }) => t(kind), filter: 'choice' },
      { key: 'reason', title: t('reason'), value: ({ reason }) => leftOutReason(reason, locale) },
    ],
    [t, locale],
  )
  return (
    <DataTable
      name="removed"
      caption={t('Removed')}
      columns={columns}
      rows={removed}
      rowKey={({ id }) => id}
      addressPrefix="removed."
    />
  )
}
