import 'uplot/dist/uPlot.min.css'
import type { PointNode } from '@storey/sdk'
import { useLocale, useTexts, useTheme } from '@storey/web'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { unitSymbol, useValueFormat } from '../live/format-value.ts'
import { timeLabels } from './axis.ts'
import styles from './charts.module.css'
import type { Series } from './detail.ts'
import { lineOf } from './line.ts'
import type { Span } from './span.ts'

interface LineChartProps {
  point: PointNode
  series: Series
  onZoom(span: Span): void
  /** Called on a double click. */
  onReset(): void
}

const HEIGHT = 260
/** Leaves a margin around 0 and 1. */
const BINARY_SCALE = { min: -0.15, max: 1.15 }

/** A line chart over time. Dragging across it zooms in. */
export default function LineChart({ point, series, onZoom, onReset }: LineChartProps): ReactNode {
  const container = useRef<HTMLDivElement>(null)
  const callbacks = useRef({ onZoom, onReset })
  callbacks.current = { onZoom, onReset }
  const chart = useRef<uPlot>(undefined)
  const latest = useRef(series)
  latest.current = series
  const t = useTexts(shellTexts)
  const locale = useLocale()
  const { theme } = useTheme()
  const format = useValueFormat()
  const { building } = useBuildingData()
  const times = useBuildingTimes()
  const { id, name, unit } = point
  const line = useMemo(() => lineOf(point, series), [point, series])
  const { isStepped, isBinary } = line
  const data = useRef(line)
  data.current = line

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the theme
  useEffect(() => {
    const element = container.current!
    const colours = getComputedStyle(element)
    const [ink, line, accent] = ['--chart-ink', '--chart-line', '--chart-accent'].map((name) => colourOf(colours, name))
    const axis = { stroke: ink!, grid: { stroke: line!, width: 1 }, ticks: { stroke: line!, width: 1 } }
    const symbol = unitSymbol(unit)
    const labelOf = (value: number) => (value === 1 ? t('yes') : t('no'))
    const scale: Partial<uPlot.Axis> = isBinary
      ? { splits: () => [0, 1], values: (_, splits) => splits.map(labelOf) }
      : { values: (_, splits, __, ___, step) => format.scale(splits, step) }
    const timeOf = (at: number) => {
      const { from, to } = latest.current.span
      return times.formatter([from, to], 'minute')(at)
    }
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
        scales: {
          x: { range: () => [latest.current.span.from / 1000, latest.current.span.to / 1000] },
          y: isBinary ? { range: [BINARY_SCALE.min, BINARY_SCALE.max] } : {},
        },
        legend: { live: true },
        axes: [
          { ...axis, values: (_, splits, __, ___, step) => timeLabels(splits, step, locale, building.timezone) },
          { ...axis, size: widthOf, ...scale },
        ],
        series: [
          { label: t('time'), value: (_, at) => (at == null ? '' : timeOf(at * 1000)) },
          {
            label: name,
            stroke: accent!,
            width: 1.5,
            ...(isStepped ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
            points: { show: () => latest.current.times.length < 80 },
            value: (_, value) => (value == null ? '' : isBinary ? labelOf(value) : `${format.number(value)} ${symbol}`),
          },
        ],
        hooks: {
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
      [data.current.xs, data.current.ys],
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
  }, [id, name, unit, isStepped, isBinary, theme, t, locale, times, format, building.timezone])

  // New data goes into the same chart, so that the cursor and the selection stay.
  const before = useRef(line)
  useEffect(() => {
    if (before.current !== line) chart.current?.setData([line.xs, line.ys])
    before.current = line
  }, [line])

  return <div ref={container} className={styles.chart} role="img" aria-label={point.name} />
}

/** The width of the axis fits its longest label. */
const widthOf = (_: uPlot, values: readonly string[] | null): number =>
  Math.max(MARGIN_PX + LETTER_PX * Math.max(0, ...(values ?? []).map(({ length }) => length)), MIN_PX)
const [MARGIN_PX, LETTER_PX, MIN_PX] = [22, 7, 64]

/** Reads a colour of the theme for the canvas. */
function colourOf(colours: CSSStyleDeclaration, name: string): string {
  return colours.getPropertyValue(name).trim() || '#888'
}
