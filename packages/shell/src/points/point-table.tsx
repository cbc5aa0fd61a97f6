import type { PointNode } from '@storey/sdk'
import { type DataColumn, DataTable, Link, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { quantityName } from '../building/catalog-names.ts'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import { Age } from '../live/age.tsx'
import { isNumeric, numberOf } from '../live/format-value.ts'
import { useReading, useValueStore } from '../live/live.tsx'
import { ValueText } from './live-value.tsx'

export const POINT_TYPE_TEXTS = {
  SENSOR: 'sensor',
  COMMAND: 'command',
  SETPOINT: 'setpoint',
  ALARM: 'alarm',
  STATUS: 'state',
  PARAMETER: 'parameter',
} as const

/** A table with more rows has a search field. */
export const MAX_SHORT_ROWS = 12

/** The points of a piece of equipment. */
export function PointTable({ caption, points }: { caption: string; points: readonly PointNode[] }): ReactNode {
  const columns = usePointColumns()
  return (
    <DataTable
      name="points"
      caption={caption}
      rows={points}
      rowKey={({ id }) => id}
      columns={columns}
      search
      hasToolbar={points.length > MAX_SHORT_ROWS}
    />
  )
}

export function usePointColumns(): DataColumn<PointNode>[] {
  const t = useTexts(shellTexts)
  const locale = useLocale()
  const values = useValueStore()
  return useMemo(
    () => [
      {
        key: 'name',
        title: t('point'),
        isHeader: true,
        value: ({ name }) => name,
        cell: ({ id, name }) => (
          <>
            <Link to={`/points/${id}`}>{name}</Link> <NodeMark nodeId={id} />
          </>
        ),
      },
      { key: 'type', title: t('pointType'), value: ({ pointType }) => t(POINT_TYPE_TEXTS[pointType]) },
      {
        key: 'quantity',
        title: t('quantity'),
        isOptional: true,
        value: ({ quantityKind }) => quantityName(quantityKind, locale),
      },
      { key: 'code', title: t('code'), isOptional: true, value: ({ code }) => code },
      {
        key: 'value',
        title: t('value'),
        isNumeric: true,
        isLive: true,
        value({ id }) {
          const value = values.get(id)?.value ?? null
          return value !== null && isNumeric(value) ? numberOf(value) : value
        },
        cell: (point) => <ValueText point={point} />,
      },
      {
        key: 'age',
        title: t('observed'),
        isNumeric: true,
        isLive: true,
        value({ id }) {
          const at = values.get(id)?.at
          return at === undefined ? null : new Date(at).toISOString()
        },
        cell: (point) => <ReadingAge point={point} />,
      },
    ],
    [t, locale, values],
  )
}

/** Each cell subscribes to its point, so that a new value renders only the cell. */
function ReadingAge({ point }: { point: PointNode }): ReactNode {
  return <Age at={useReading(point.id)?.at} />
}
