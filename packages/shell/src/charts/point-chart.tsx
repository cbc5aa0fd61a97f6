import type { PointNode } from '@storey/sdk'
import {
  Button,
  EmptyState,
  ErrorPanel,
  LoadingState,
  type Locale,
  Panel,
  Select,
  useLocale,
  useTexts,
} from '@storey/web'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { withUnit } from '../colouring/colour-picker.tsx'
import { unitSymbol } from '../live/format-value.ts'
import styles from './charts.module.css'
import type { Series } from './detail.ts'
import { ReadingTable } from './reading-table.tsx'
import { chartTexts } from './texts.ts'
import { useSeries } from './use-series.ts'
import { RANGES, type Range, useSpan } from './use-span.ts'

/** Loads the chart library with the first chart. */
const LineChart = lazy(() => import('./line-chart.tsx'))

interface PointChartProps {
  point: PointNode
  /** Points that the user can select. */
  others?: readonly PointNode[]
  onChoose?(pointId: string): void
}

/** The history of a point, as a chart or as a table. */
export function PointChart({ point, others, onChoose }: PointChartProps): ReactNode {
  const t = useTexts(shellTexts)
  const control = useSpan()
  const [isTable, setIsTable] = useState(false)
  const { range, isZoomed } = control
  const { shown, error, isLoading, reload } = useSeries(point, control)
  return (
    <Panel
      title={withUnit(point.name, unitSymbol(point.unit))}
      actions={
        <>
          <fieldset className="st-segments" aria-label={t('range')}>
            {(Object.keys(RANGES) as Range[]).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={!isZoomed && one === range}
                onClick={() => control.choose(one)}
              >
                {t(one)}
              </button>
            ))}
          </fieldset>
          <fieldset className="st-segments" aria-label={t('view')}>
            <button type="button" aria-pressed={!isTable} onClick={() => setIsTable(false)}>
              {t('chart')}
            </button>
            <button type="button" aria-pressed={isTable} onClick={() => setIsTable(true)}>
              {t('asTable')}
            </button>
          </fieldset>
        </>
      }
    >
      <div className={styles.bar}>
        {others && onChoose && others.length > 1 ? (
          <Select
            label={t('point')}
            value={point.id}
            options={others.map(({ id, name, code }) => ({ value: id, label: `${name} · ${code}` }))}
            onValue={(id) => {
              control.reset()
              onChoose(id)
            }}
          />
        ) : null}
        <div className={styles.moves}>
          <Button small label={t('earlier')} onClick={() => control.move(-0.5)} />
          <Button small label={t('later')} disabled={control.isFollowing} onClick={() => control.move(0.5)} />
          <Button small label={t('zoomIn')} disabled={control.isMaxZoom} onClick={control.zoomIn} />
          <Button small label={t('zoomOut')} onClick={control.zoomOut} />
          <Button small label={t('zoomOutAll')} disabled={!isZoomed} onClick={control.reset} />
        </div>
      </div>
      <ErrorPanel error={error} onRetry={reload} />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
      <div
        className={styles.body}
        role="group"
        aria-label={t('chartOf', { name: point.name, range: t(range) })}
        aria-busy={isLoading}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys zoom and move the chart
        tabIndex={0}
        onKeyDown={control.onKeyDown}
      >
        {shown === undefined ? (
          error === undefined ? (
            <LoadingState />
          ) : null
        ) : shown.times.length === 0 ? (
          <EmptyState level={3} icon="clock" title={t('noReadings')} text={t('noReadingsText')} />
        ) : isTable ? (
          <ReadingTable point={point} series={shown} />
        ) : (
          <Suspense fallback={<LoadingState />}>
            <LineChart point={point} series={shown} onZoom={control.zoomTo} onReset={control.reset} />
          </Suspense>
        )}
      </div>
      {shown ? <Caption series={shown} /> : null}
    </Panel>
  )
}

function Caption({ series }: { series: Series }): ReactNode {
  const t = useTexts(shellTexts)
  const chartText = useTexts(chartTexts)
  const locale = useLocale()
  const buildingTimes = useBuildingTimes()
  const { building } = useBuildingData()
  const { detail, span, times, sampledFrom } = series
  const minuteOf = buildingTimes.formatter([span.from, span.to], 'minute')
  const parts = [
    t('zoomedRange', { from: minuteOf(span.from), to: minuteOf(span.to) }),
    detail.kind === 'raw'
      ? t('rawValues', { n: times.length })
      : t(detail.aggregation === 'avg' ? 'averages' : 'increases', { interval: hoursText(detail.hours, locale) }),
    ...(sampledFrom === undefined ? [] : [t('sampled', { n: sampledFrom })]),
    t('timesIn', { zone: building.timezone }),
  ]
  return (
    <p className={styles.caption}>
      {parts.join(' · ')}. {t('dragToZoom')} {chartText('keys')}
    </p>
  )
}

const hoursText = (hours: number, locale: Locale): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit: 'hour', unitDisplay: 'long' }).format(hours)
