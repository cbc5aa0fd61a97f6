import type { PointNode } from '@storey/sdk'
import { type Column, Link, Table, type Translate, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { shellWords } from '../app/words.ts'
import { Age } from '../live/age.tsx'
import { useReading } from '../live/live.tsx'
import { ValueText } from './live-value.tsx'

export const POINT_TYPE_WORDS = {
  SENSOR: 'sensor',
  COMMAND: 'command',
  SETPOINT: 'setpoint',
  ALARM: 'alarm',
  STATUS: 'state',
  PARAMETER: 'parameter',
} as const

/** The points of one piece of equipment. */
export function PointTable({ caption, points }: { caption: string; points: readonly PointNode[] }): ReactNode {
  const t = useWords(shellWords)
  return <Table caption={caption} columns={pointColumns(t)} rows={points} rowKey={({ id }) => id} />
}

export const pointColumns = (t: Translate<typeof shellWords.en>): Column<PointNode>[] => [
  {
    key: 'name',
    title: t('point'),
    isHeader: true,
    cell: ({ id, name }) => <Link to={`/points/${id}`}>{name}</Link>,
  },
  { key: 'type', title: t('pointType'), cell: ({ pointType }) => t(POINT_TYPE_WORDS[pointType]) },
  { key: 'value', title: t('value'), isNumeric: true, cell: (point) => <ValueText point={point} /> },
  { key: 'age', title: t('observed'), isNumeric: true, cell: (point) => <Observed point={point} /> },
]

/** Each cell hears of its own point, so that a new value draws no more than itself. */
function Observed({ point }: { point: PointNode }): ReactNode {
  return <Age at={useReading(point.id)?.at} />
}
