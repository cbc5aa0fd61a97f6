import type { PointNode } from '@storey/sdk'
import { type Column, Link, Table, type Translate, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import { Age } from '../live/age.tsx'
import { useReading } from '../live/live.tsx'
import { ValueText } from './live-value.tsx'

export const POINT_TYPE_TEXTS = {
  SENSOR: 'sensor',
  COMMAND: 'command',
  SETPOINT: 'setpoint',
  ALARM: 'alarm',
  STATUS: 'state',
  PARAMETER: 'parameter',
} as const

/** The points of a piece of equipment. */
export function PointTable({ caption, points }: { caption: string; points: readonly PointNode[] }): ReactNode {
  const t = useTexts(shellTexts)
  return <Table caption={caption} columns={pointColumns(t)} rows={points} rowKey={({ id }) => id} />
}

export const pointColumns = (t: Translate<typeof shellTexts.en>): Column<PointNode>[] => [
  {
    key: 'name',
    title: t('point'),
    isHeader: true,
    cell: ({ id, name }) => (
      <>
        <Link to={`/points/${id}`}>{name}</Link> <NodeMark nodeId={id} />
      </>
    ),
  },
  { key: 'type', title: t('pointType'), cell: ({ pointType }) => t(POINT_TYPE_TEXTS[pointType]) },
  { key: 'value', title: t('value'), isNumeric: true, cell: (point) => <ValueText point={point} /> },
  { key: 'age', title: t('observed'), isNumeric: true, cell: (point) => <ReadingAge point={point} /> },
]

/** Each cell subscribes to its point, so that a new value renders only the cell. */
function ReadingAge({ point }: { point: PointNode }): ReactNode {
  return <Age at={useReading(point.id)?.at} />
}
