import { type DataColumn, DataTable, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { withUnit } from '../colouring/colour-picker.tsx'
import { useValueFormat } from '../live/format-value.ts'
import type { ChartLine } from './chart-line.ts'
import { lineOf } from './line.ts'
import { type ReadingRow, rowsOf } from './reading-rows.ts'
import { chartTexts } from './texts.ts'
import { useUnitOf } from './use-unit-of.ts'

/** The values of the chart as a table, newest first. */
export function ReadingTable({ lines }: { lines: readonly ChartLine[] }): ReactNode {
  const t = useTexts(shellTexts)
  const unitOf = useUnitOf()
  const chartText = useTexts(chartTexts)
  const format = useValueFormat()
  const times = useBuildingTimes()
  const rows = useMemo(() => rowsOf(lines.map(({ series }) => series)), [lines])
  const columns = useMemo((): DataColumn<ReadingRow>[] => {
    const timeOf = times.formatter(
      rows.map(({ at }) => at),
      'second',
    )
    const numbers = lines.flatMap(({ point, name, series }, i): DataColumn<ReadingRow>[] => {
      const { isBinary } = lineOf(point, series)
      const text = (value: number | null) => {
        if (value === null) return ''
        if (isBinary) return value === 1 ? t('yes') : t('no')
        return format.reading(String(value), point.unit)
      }
      const column = (key: string, title: string, value: (row: ReadingRow) => number | null) => ({
        key,
        title,
        value,
        cell: (row: ReadingRow) => text(value(row)),
        isNumeric: true,
      })
      const isOnly = lines.length === 1
      const title = isOnly
        ? withUnit(t('value'), unitOf(point, series.detail))
        : withUnit(name, unitOf(point, series.detail))
      if (!isOnly || !series.extremes) return [column(`value${i}`, title, ({ values }) => values[i] ?? null)]
      return [
        column('average', chartText('average'), ({ values }) => values[0] ?? null),
        column('minimum', chartText('minimum'), ({ low }) => low),
        column('maximum', chartText('maximum'), ({ high }) => high),
      ]
    })
    return [
      {
        key: 'time',
        title: t('time'),
        isHeader: true,
        value: ({ at }) => new Date(at).toISOString(),
        cell: ({ at }) => timeOf(at),
      },
      ...numbers,
    ]
  }, [rows, lines, times, format, unitOf, t, chartText])
  return (
    <DataTable
      name="readings"
      caption={lines.map(({ name }) => name).join(', ')}
      rows={rows}
      rowKey={({ at }) => String(at)}
      columns={columns}
      addressPrefix="reading-"
    />
  )
}
