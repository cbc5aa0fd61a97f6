import 'uplot/dist/uPlot.min.css'
import type { PointNode } from '@storey/sdk'
import { useLocale, useTheme, useWords } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { unitSymbol, useValueFormat } from '../live/format-value.ts'
import { timeLabels } from './axis.ts'
import styles from './charts.module.css'
import type { Series } from './detail.ts'
import type { Span } from './span.ts'

interface LineChartProps {
  point: PointNode
  series: Series
  span: Span
  onZoom(span: Span): void
  /** Two clicks show the whole range. */
  onReset(): void
}

const HEIGHT = 260
/** Where a break is drawn: so many times the usual distance between readings. */
const BREAK = 4

/** A line over time. Dragging across it looks closer. */
export default function LineChart({ point, series, span, onZoom, onReset }: LineChartProps): ReactNode {
  const holder = useRef<HTMLDivElement>(null)
  const act = useRef({ onZoom, onReset })
  act.current = { onZoom, onReset }
  const t = useWords(shellWords)
  const locale = useLocale()
  const { theme } = useTheme()
  const format = useValueFormat()
  const { building } = useBuildingData()
  const times = useBuildingTimes()
  const { from, to } = span

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const element = holder.current!
    const colours = getComputedStyle(element)
    const [ink, line, accent] = ['--chart-ink', '--chart-line', '--chart-accent'].map((name) => resolved(colours, name))
    const axis = { stroke: ink!, grid: { stroke: line!, width: 1 }, ticks: { stroke: line!, width: 1 } }
    const unit = unitSymbol(point.unit)
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
        scales: { x: { range: () => [from / 1000, to / 1000] } },
        legend: { live: true },
        axes: [
          { ...axis, values: (_, splits, __, ___, step) => timeLabels(splits, step, locale, building.timezone) },
          { ...axis, size: 64, values: (_, splits) => splits.map((value) => format.number(value)) },
        ],
        series: [
          { label: t('time'), value: (_, at) => (at == null ? '' : times.minute(at * 1000)) },
          {
            label: point.name,
            stroke: accent!,
            width: 1.5,
            points: { show: series.times.length < 80 },
            value: (_, value) => (value == null ? '' : `${format.number(value)} ${unit}`),
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
      withBreaks(series),
      element,
    )
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      plot.destroy()
    }
  }, [point, series, from, to, theme, t, locale, times, format, building.timezone])

  return <div ref={holder} className={styles.chart} role="img" aria-label={point.name} />
}

/** Colours of the theme as a canvas takes them. */
function resolved(colours: CSSStyleDeclaration, name: string): string {
  return colours.getPropertyValue(name).trim() || '#888'
}

/** A gap in the readings is a gap in the line. */
function withBreaks({ times, values }: Series): uPlot.AlignedData {
  const distances = times.slice(1).map((at, i) => at - times[i]!)
  const usual = distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? 0
  const xs: number[] = []
  const ys: (number | null)[] = []
  for (const [i, at] of times.entries()) {
    if (i > 0 && usual > 0 && at - times[i - 1]! > usual * BREAK) {
      xs.push((times[i - 1]! + at) / 2000)
      ys.push(null)
    }
    xs.push(at / 1000)
    ys.push(values[i]!)
  }
  return [xs, ys]
}
