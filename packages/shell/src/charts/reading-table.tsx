import type { PointNode } from '@storey/sdk'
import { Table, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { useValueFormat } from '../live/format-value.ts'
import type { Series } from './detail.ts'
import { lineOf } from './line.ts'

const MAX_ROWS = 1000

/** The values of the chart as a table, newest first; at most `MAX_ROWS`. */
export function ReadingTable({ point, series }: { point: PointNode; series: Series }): ReactNode {
  const t = useTexts(shellTexts)
  const format = useValueFormat()
  const rows = useMemo(() => {
    const all = series.times.map((at, i) => ({ at, value: series.values[i]! }))
    return all.reverse().slice(0, MAX_ROWS)
  }, [series])
  const { isBinary } = useMemo(() => lineOf(point, series), [point, series])
  const times = useBuildingTimes()
  const timeOf = useMemo(
    () =>
      times.formatter(
        rows.map(({ at }) => at),
        'second',
      ),
    [times, rows],
  )
  return (
    <Table
      caption={point.name}
      rows={rows}
      rowKey={({ at }) => at}
      columns={[
        { key: 'time', title: t('time'), isHeader: true, cell: ({ at }) => timeOf(at) },
        {
          key: 'value',
          title: t('value'),
          isNumeric: true,
          cell: ({ value }) =>
            isBinary ? (value === 1 ? t('yes') : t('no')) : format.reading(String(value), point.unit),
        },
      ]}
    />
  )
}
