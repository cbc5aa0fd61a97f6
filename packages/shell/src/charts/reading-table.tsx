import type { PointNode } from '@storey/sdk'
import { Table, useWords } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { shellWords } from '../app/words.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { useValueFormat } from '../live/format-value.ts'
import type { Series } from './detail.ts'
import { lineOf } from './line.ts'

/** A table that is still scrolled through. */
const MOST = 1000

/** The chart in numbers, the newest first. */
export function ReadingTable({ point, series }: { point: PointNode; series: Series }): ReactNode {
  const t = useWords(shellWords)
  const format = useValueFormat()
  const rows = useMemo(() => {
    const all = series.times.map((at, i) => ({ at, value: series.values[i]! }))
    return all.reverse().slice(0, MOST)
  }, [series])
  const { isSwitch } = useMemo(() => lineOf(point, series), [point, series])
  const times = useBuildingTimes()
  const timeOf = useMemo(
    () =>
      times.among(
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
            isSwitch ? (value === 1 ? t('yes') : t('no')) : format.reading(String(value), point.unit),
        },
      ]}
    />
  )
}
