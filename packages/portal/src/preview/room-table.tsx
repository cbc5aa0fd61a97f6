import { Badge, type Column, spaceTypeName, Table, useFormat, useLocale, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import type { RoomPreview, StoreyPreview } from './preview.ts'
import { previewTexts } from './preview-texts.ts'

export function RoomTable({ storey }: { storey: StoreyPreview }): ReactNode {
  const t = useTexts(previewTexts)
  const format = useFormat()
  const locale = useLocale()
  const columns: Column<RoomPreview>[] = [
    { key: 'room', title: t('room'), isHeader: true, cell: ({ code }) => <code>{code}</code> },
    {
      key: 'name',
      title: t('name'),
      cell: ({ name, status }) => (
        <span className="st-row">
          {name}
          {status === 'vacant' ? <Badge>{t('vacant')}</Badge> : null}
        </span>
      ),
    },
    { key: 'type', title: t('type'), cell: ({ spaceType }) => spaceTypeName(spaceType, locale) },
    {
      key: 'area',
      title: t('area'),
      isNumeric: true,
      cell: ({ areaSqm }) => t('sqm', { area: format.number(areaSqm, 1) }),
    },
    { key: 'seats', title: t('seats'), isNumeric: true, cell: ({ capacity }) => format.number(capacity) },
  ]
  return (
    <div className="room-table">
      <Table caption={storey.name} columns={columns} rows={storey.rooms} rowKey={({ code }) => code} />
    </div>
  )
}
