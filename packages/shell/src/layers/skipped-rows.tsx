import type { DataLayer } from '@storey/sdk'
import { type DataColumn, DataTable, Panel, useFormat, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import type { NodeKey } from '../table-input/find-nodes.ts'
import type { SkippedRow } from './prepare-upload.ts'
import { uploadTexts } from './upload-texts.ts'

interface SkippedRowsProps {
  layer: DataLayer
  skipped: readonly SkippedRow[]
  matchBy: NodeKey
}

const NO_ROOM = { code: 'noRoomCode', externalId: 'noRoomExternalId', id: 'noRoomId' } as const

/** The rows that an upload leaves out, with the reasons. */
export function SkippedRows({ layer, skipped, matchBy }: SkippedRowsProps): ReactNode {
  const t = useTexts(uploadTexts)
  const format = useFormat()
  const columns = useMemo<DataColumn<SkippedRow>[]>(() => {
    const reason = ({ why }: SkippedRow): string => {
      switch (why.reason) {
        case 'noRoom':
          return t(NO_ROOM[matchBy])
        case 'repeated':
          return t('repeatedBy', { n: why.by })
        case 'tooSmall':
        case 'tooLarge':
        case 'tooLong':
          return t(why.reason, { limit: why.limit })
        case 'notAChoice':
          return t('notAChoice', { choices: format.list(why.choices) })
        default:
          return t(why.reason)
      }
    }
    return [
      { key: 'row', title: t('row'), isNumeric: true, value: ({ number }) => number },
      {
        key: 'room',
        title: t('room'),
        isHeader: true,
        value: ({ key, room }) => (room ? `${room.name} · ${room.code}` : key || '—'),
      },
      { key: 'value', title: t('value'), value: ({ text }) => text || '—' },
      { key: 'why', title: t('why'), value: reason, filter: 'choice' },
    ]
  }, [t, format, matchBy])
  return (
    <Panel title={`${t('notWritten')}: ${format.number(skipped.length)}`} flush>
      <DataTable
        name={`${layer.key}-left-out`}
        caption={t('notWritten')}
        columns={columns}
        rows={skipped}
        rowKey={({ number }) => String(number)}
      />
    </Panel>
  )
}
