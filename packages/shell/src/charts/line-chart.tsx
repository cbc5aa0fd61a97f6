import 'uplot/dist/uPlot.min.css'
import { useLocale, useTexts, useTheme } from '@storey/web'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { useValueFormat } from '../live/format-value.ts'
import { timeLabels } from './axis.ts'
import type { ChartLine } from './chart-line.ts'
import styles from './charts.module.css'
import { type Line, lineOf } from './line.ts'
import { axesOf, bandsOf, coloursOf, scalesOf, seriesOf } from './plot-options.ts'
import type { Span } from './span.ts'
import { useUnitOf } from './use-unit-of.ts'

interface LineChartProps {
  lines: readonly ChartLine[]
  onZoom(span: Span): void
  /** Called on a double click. */
  onReset(): void
}

const HEIGHT = 260

/** A chart over time. Dragging across it zooms in. */
export default function LineChart({ lines, onZoom, onReset }: LineChartProps): ReactNode {
  const container = useRef<HTMLDivElement>(null)
  const callbacks = useRef({ onZoom, onReset })
  callbacks.current = { onZoom, onReset }
  const chart = useRef<uPlot>(undefined)
  const latest = useRef(lines)
  latest.current = lines
  const t = useTexts(shellTexts)
  const locale = useLocale()
  const { theme } = useTheme()
  const format = useValueFormat()
  const { building } = useBuildingData()
  const times = useBuildingTimes()
  const unitOf = useUnitOf()
  const curves = useMemo(() => lines.map(({ point, series }) => lineOf(point, series)), [lines])
  const data = useMemo(() => dataOf(curves), [curves])
  const drawn = useRef({ curves, data })
  drawn.current = { curves, data }
  // When this text changes, the chart is created again: it has other lines, or its lines look different.
  const form = lines
    .map(({ point, name, series }, i) => [
      point.id,
      name,
      curves[i]!.shape,
      curves[i]!.isBinary,
      unitOf(point, series.detail),
    ])
    .join()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the theme, the series on the form
  useEffect(() => {
    const element = container.current!
    const colours = coloursOf(getComputedStyle(element))
    const parts = latest.current.map((one, i) => ({ ...one, line: drawn.current.curves[i]! }))
    const span = () => latest.current[0]!.series.span
    const yesNo = (value: number) => (value === 1 ? t('yes') : t('no'))
    const reset = () => {
      callbacks.current.onReset()
      return null
    }
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), building.timezone),
        cursor: { drag: { x: true, y: false, setScale: false }, bind: { dblclick: () => reset } },
        scales: { x: { range: () => [span().from / 1000, span().to / 1000] }, ...scalesOf(parts) },
        legend: { live: true },
        axes: axesOf(parts, colours, {
          time: (splits, step) => timeLabels(splits, step, locale, building.timezone),
          scale: format.scale,
          unit: ({ point, series }) => unitOf(point, series.detail),
          yesNo,
        }),
        series: [
          {
            label: t('time'),
            value: (_, at) => (at == null ? '' : times.formatter([span().from, span().to], 'minute')(at * 1000)),
          },
          ...seriesOf(parts, colours, { format, yesNo, hasFewPoints: () => hasFewPoints(latest.current) }),
        ],
        bands: bandsOf(parts, colours),
        hooks: {
          init: [hideExtremes],
          setSelect: [
            (plot) => {
              const { left, width } = plot.select
              if (width < 4) return
              callbacks.current.onZoom({
                from: plot.posToVal(left, 'x') * 1000,
                to: plot.posToVal(left + width, 'x') * 1000,
              })
            },
          ],
        },
      },
      drawn.current.data,
      element,
    )
    chart.current = plot
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      chart.current = undefined
      plot.destroy()
    }
  }, [form, theme, t, locale, times, format, building.timezone])

  // New data goes into the same chart, so that the cursor and the selection stay.
  const before = useRef(data)
  useEffect(() => {
    if (before.current !== data) chart.current?.setData(data)
    before.current = data
  }, [data])

  return (
    <div ref={container} className={styles.chart} role="img" aria-label={lines.map(({ name }) => name).join(', ')} />
  )
}

/** Puts the lines on one time axis. Each line has three rows: its values, its minimums and its maximums. */
function dataOf(curves: readonly Line[]): uPlot.AlignedData {
  const tables = curves.map(({ xs, ys, lows, highs }): uPlot.AlignedData => {
    const none = xs.map(() => null)
    return [xs, ys, lows ?? none, highs ?? none]
  })
  return tables.length === 1 ? tables[0]! : uPlot.join(tables)
}

/** Hides the legend rows of minimums and maximums: the row of a line shows both after its value. */
function hideExtremes(plot: uPlot): void {
  for (const [i, row] of plot.root.querySelectorAll<HTMLElement>('.u-legend .u-series').entries()) {
    if (i > 0 && (i - 1) % 3 !== 0) row.style.display = 'none'
  }
}

const hasFewPoints = (lines: readonly ChartLine[]) => lines.every(({ series }) => series.times.length < 80)
