import uPlot from 'uplot'
import type { ValueFormat } from '../live/format-value.ts'
import type { ChartLine } from './chart-line.ts'
import { isDashed } from './chart-points.tsx'
import type { Line } from './line.ts'

/** The options of the chart library for the lines of a chart. Each line has three series: value, minimum, maximum. */

export interface PlotLine extends ChartLine {
  line: Line
}

export interface PlotColours {
  ink: string
  grid: string
  series: readonly string[]
}

/** Leaves a margin around 0 and 1. */
const BINARY_RANGE: [number, number] = [-0.15, 1.15]
const BAND_OPACITY = 0.18
const BAR_OPACITY = 0.75
/** With this opacity, lines stay visible behind bars. */
const MIXED_BAR_OPACITY = 0.35
const MAX_BAR_PX = 48

/** Reads the colours of the theme for the canvas. */
export function coloursOf(style: CSSStyleDeclaration): PlotColours {
  const read = (name: string) => style.getPropertyValue(name).trim() || '#888888'
  return {
    ink: read('--chart-ink'),
    grid: read('--chart-line'),
    series: [0, 1, 2, 3, 4, 5].map((i) => read(`--series-${i}`)),
  }
}

/** All binary lines share a scale. For each unit, the bars share one scale, and all other lines share another scale. */
const scaleOf = ({ point, line }: PlotLine): string =>
  line.isBinary ? 'binary' : line.shape === 'bars' ? `${point.unit} amount` : point.unit
const scaleNames = (lines: readonly PlotLine[]) => [...new Set(lines.map(scaleOf))]

export function scalesOf(lines: readonly PlotLine[]): uPlot.Scales {
  const rangeOf = (line: Line): uPlot.Scale => {
    if (line.isBinary) return { range: BINARY_RANGE }
    // Bars start at zero.
    return line.shape === 'bars'
      ? { range: (_, min, max) => [Math.min(0, min ?? 0), Math.max(0, max ?? 0) * 1.05 || 1] }
      : {}
  }
  return Object.fromEntries(lines.map((one) => [scaleOf(one), rangeOf(one.line)]))
}

interface AxisTexts {
  time(splits: readonly number[], step: number): string[]
  scale: ValueFormat['scale']
  unit(line: PlotLine): string
  yesNo(value: number): string
}

/** An axis for the time, and one for each scale of `scaleOf`: the first scale at the left, the others at the right. */
export function axesOf(lines: readonly PlotLine[], { ink, grid }: PlotColours, texts: AxisTexts): uPlot.Axis[] {
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } }
  const names = scaleNames(lines)
  const scales = names.map((scale, i): uPlot.Axis => {
    const unit = texts.unit(lines.find((one) => scaleOf(one) === scale)!)
    const labels: Partial<uPlot.Axis> =
      scale === 'binary'
        ? { splits: () => [0, 1], values: (_, splits) => splits.map(texts.yesNo) }
        : { values: (_, splits, __, ___, step) => texts.scale(splits, step) }
    return {
      ...axis,
      scale,
      side: i === 0 ? 3 : 1,
      size: widthOf,
      ...labels,
      ...(i > 0 ? { grid: { show: false } } : {}),
      ...(names.length > 1 && unit !== '' ? { label: unit, labelSize: 20, labelGap: 0 } : {}),
    }
  })
  return [{ ...axis, values: (_, splits, __, ___, step) => texts.time(splits, step) }, ...scales]
}

interface SeriesTexts {
  format: ValueFormat
  yesNo(value: number): string
  hasFewPoints(): boolean
}

export function seriesOf(lines: readonly PlotLine[], colours: PlotColours, texts: SeriesTexts): uPlot.Series[] {
  const bars = lines.filter(({ line }) => line.shape === 'bars').length
  return lines.flatMap((one, i): uPlot.Series[] => {
    const { point, name, line } = one
    const color = colours.series[i]!
    const scale = scaleOf(one)
    const text = (value: number) =>
      line.isBinary ? texts.yesNo(value) : texts.format.reading(String(value), point.unit)
    const number = (value: number) => texts.format.number(value, point.unit)
    const value: uPlot.Series.Value = (plot, at, series, index) => {
      if (at == null) return ''
      const [low, high] = index === null ? [] : [plot.data[series + 1]?.[index], plot.data[series + 2]?.[index]]
      return low == null || high == null ? text(at) : `${text(at)} (${number(low)} – ${number(high)})`
    }
    // Bars of several meters would cover each other, so several meters are drawn as steps.
    const isBar = line.shape === 'bars' && bars === 1
    const isStep = line.shape === 'steps' || (line.shape === 'bars' && bars > 1)
    const edge: uPlot.Series = { scale, stroke: 'transparent', width: 0, points: { show: false } }
    return [
      {
        scale,
        label: name,
        stroke: color,
        width: isBar ? 0 : 1.5,
        value,
        points: { show: isBar ? false : () => texts.hasFewPoints() },
        ...(isDashed(point.pointType) ? { dash: [6, 4] } : {}),
        ...(isBar
          ? {
              fill: translucent(color, lines.length > bars ? MIXED_BAR_OPACITY : BAR_OPACITY),
              paths: uPlot.paths.bars!({ size: [0.9, MAX_BAR_PX], align: 1 }),
            }
          : {}),
        ...(isStep ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
      },
      edge,
      edge,
    ]
  })
}

/** The area from the minimum to the maximum. */
export const bandsOf = (lines: readonly PlotLine[], { series }: PlotColours): uPlot.Band[] =>
  lines.flatMap(({ line }, i) =>
    line.highs
      ? [{ series: [3 * i + 3, 3 * i + 2] as [number, number], fill: translucent(series[i]!, BAND_OPACITY) }]
      : [],
  )

const translucent = (color: string, opacity: number): string =>
  `${color}${Math.round(opacity * 255)
    .toString(16)
    .padStart(2, '0')}`

/** The width of the axis fits its longest label. */
const widthOf = (_: uPlot, values: readonly string[] | null): number =>
  Math.max(MARGIN_PX + LETTER_PX * Math.max(0, ...(values ?? []).map(({ length }) => length)), MIN_PX)
const [MARGIN_PX, LETTER_PX, MIN_PX] = [22, 7, 64]
