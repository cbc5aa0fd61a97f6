import 'uplot/dist/uPlot.min.css'
import type { PointNode } from '@storey/sdk'
import { useLocale, useTheme, useWords } from '@storey/web'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { shellWords } from '../app/words.ts'
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
  /** Two clicks show the whole range. */
  onReset(): void
}

const HEIGHT = 260
/** Off and on are neither at the edge of the chart. */
const SWITCH_SCALE = { min: -0.15, max: 1.15 }

/** A line over time. Dragging across it looks closer. */
export default function LineChart({ point, series, onZoom, onReset }: LineChartProps): ReactNode {
  const holder = useRef<HTMLDivElement>(null)
  const act = useRef({ onZoom, onReset })
  act.current = { onZoom, onReset }
  const drawn = useRef<uPlot>(undefined)
  const latest = useRef(series)
  latest.current = series
  const t = useWords(shellWords)
  const locale = useLocale()
  const { theme } = useTheme()
  const format = useValueFormat()
  const { building } = useBuildingData()
  const times = useBuildingTimes()
  const { id, name, unit } = point
  const line = useMemo(() => lineOf(point, series), [point, series])
  const { isHeld, isSwitch } = line
  const data = useRef(line)
  data.current = line

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const element = holder.current!
    const colours = getComputedStyle(element)
    const [ink, line, accent] = ['--chart-ink', '--chart-line', '--chart-accent'].map((name) => resolved(colours, name))
    const axis = { stroke: ink!, grid: { stroke: line!, width: 1 }, ticks: { stroke: line!, width: 1 } }
    const symbol = unitSymbol(unit)
    const wordOf = (value: number) => (value === 1 ? t('yes') : t('no'))
    const scale: Partial<uPlot.Axis> = isSwitch
      ? { splits: () => [0, 1], values: (_, splits) => splits.map(wordOf) }
      : { values: (_, splits, __, ___, step) => format.scale(splits, step) }
    const timeOf = (at: number) => {
      const { from, to } = latest.current.span
      return times.among([from, to], 'minute')(at)
    }
    const reset = () => {
      act.current.onReset()
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
          y: isSwitch ? { range: [SWITCH_SCALE.min, SWITCH_SCALE.max] } : {},
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
            ...(isHeld ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
            points: { show: () => latest.current.times.length < 80 },
            value: (_, value) => (value == null ? '' : isSwitch ? wordOf(value) : `${format.number(value)} ${symbol}`),
          },
        ],
        hooks: {
          setSelect: [
            (chart) => {
              const { left, width } = chart.select
              if (width < 4) return
              act.current.onZoom({
                from: chart.posToVal(left, 'x') * 1000,
                to: chart.posToVal(left + width, 'x') * 1000,
              })
            },
          ],
        },
      },
      [data.current.xs, data.current.ys],
      element,
    )
    drawn.current = plot
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      drawn.current = undefined
      plot.destroy()
    }
  }, [id, name, unit, isHeld, isSwitch, theme, t, locale, times, format, building.timezone])

  // What is new is drawn into the same chart: the pointer over it, and what it has drawn, stay.
  const before = useRef(line)
  useEffect(() => {
    if (before.current !== line) drawn.current?.setData([line.xs, line.ys])
    before.current = line
  }, [line])

  return <div ref={holder} className={styles.chart} role="img" aria-label={point.name} />
}

/** The axis is as wide as its longest number. */
const widthOf = (_: uPlot, values: readonly string[] | null): number =>
  Math.max(MARGIN_PX + LETTER_PX * Math.max(0, ...(values ?? []).map(({ length }) => length)), LEAST_PX)
const [MARGIN_PX, LETTER_PX, LEAST_PX] = [22, 7, 64]

/** Colours of the theme as a canvas takes them. */
function resolved(colours: CSSStyleDeclaration, name: string): string {
  return colours.getPropertyValue(name).trim() || '#888'
}
