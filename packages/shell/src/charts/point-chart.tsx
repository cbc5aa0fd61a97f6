import type { PointNode } from '@storey/sdk'
import { Button, EmptyState, ErrorPanel, LoadingState, Panel, Select, useTexts } from '@storey/web'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { withUnit } from '../colouring/colour-picker.tsx'
import { ChartCaption } from './chart-caption.tsx'
import { AddPoint, PointKeys } from './chart-points.tsx'
import styles from './charts.module.css'
import { namesOf } from './comparable.ts'
import { detailsFor } from './detail.ts'
import { ReadingTable } from './reading-table.tsx'
import { RANGES, type Range } from './span-address.ts'
import { chartTexts } from './texts.ts'
import { useChartPoints } from './use-chart-points.ts'
import { useSeries } from './use-series.ts'
import { type SpanControl, useSpan } from './use-span.ts'
import { useUnitOf } from './use-unit-of.ts'

/** Loads the chart library with the first chart. */
const LineChart = lazy(() => import('./line-chart.tsx'))

interface PointChartProps {
  point: PointNode
  /** Points that the user can select. */
  others?: readonly PointNode[]
  onChoose?(pointId: string): void
}

/** The history of a point and of the points that it is compared with, as a chart or as a table. */
export function PointChart({ point, others, onChoose }: PointChartProps): ReactNode {
  const t = useTexts(shellTexts)
  const chartText = useTexts(chartTexts)
  const model = useBuildingData()
  const control = useSpan()
  const { points, add, remove } = useChartPoints(point)
  const names = useMemo(() => namesOf(model, points), [model, points])
  const [isTable, setIsTable] = useState(false)
  const { shown, error, isLoading, reload } = useSeries(points, control)
  const unitOf = useUnitOf()
  const detail = shown?.[0]?.detail ?? detailsFor(control.span, points)[0]!
  const lines = useMemo(
    () => shown?.map((series, i) => ({ point: points[i]!, name: names[i]!, series })) ?? [],
    [shown, points, names],
  )
  return (
    <Panel
      title={withUnit(point.name, unitOf(point, detail))}
      actions={
        <>
          <Ranges control={control} />
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
      <div className={styles.palette}>
        <div className={styles.bar}>
          {others && onChoose && others.length > 1 ? (
            <Select
              label={t('point')}
              value={point.id}
              options={others.map(({ id, name, code }) => ({ value: id, label: `${name} · ${code}` }))}
              onValue={onChoose}
            />
          ) : null}
          <AddPoint points={points} onAdd={add} />
          <Moves control={control} />
        </div>
        {points.length > 1 ? <PointKeys points={points} names={names} onRemove={remove} /> : null}
        <ErrorPanel error={error} onRetry={reload} />
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
        <div
          className={styles.body}
          role="group"
          aria-label={t('chartOf', {
            name: names.join(', '),
            range: control.range ? t(control.range) : chartText('custom'),
          })}
          aria-busy={isLoading}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: keys zoom and move the chart
          tabIndex={0}
          onKeyDown={isTable ? undefined : control.onKeyDown}
        >
          {shown === undefined ? (
            error === undefined ? (
              <LoadingState />
            ) : null
          ) : shown.every(({ times }) => times.length === 0) ? (
            <EmptyState level={3} icon="clock" title={t('noReadings')} text={t('noReadingsText')} />
          ) : isTable ? (
            <ReadingTable lines={lines} />
          ) : (
            <Suspense fallback={<LoadingState />}>
              <LineChart lines={lines} onZoom={control.zoomTo} onReset={control.reset} />
            </Suspense>
          )}
        </div>
        {shown ? <ChartCaption series={shown} /> : null}
      </div>
    </Panel>
  )
}

function Ranges({ control }: { control: SpanControl }): ReactNode {
  const t = useTexts(shellTexts)
  return (
    <fieldset className="st-segments" aria-label={t('range')}>
      {(Object.keys(RANGES) as Range[]).map((one) => (
        <button key={one} type="button" aria-pressed={one === control.range} onClick={() => control.choose(one)}>
          {t(one)}
        </button>
      ))}
    </fieldset>
  )
}

function Moves({ control }: { control: SpanControl }): ReactNode {
  const t = useTexts(shellTexts)
  return (
    <div className={styles.moves}>
      <Button small label={t('earlier')} onClick={() => control.move(-0.5)} />
      <Button small label={t('later')} disabled={control.isFollowing} onClick={() => control.move(0.5)} />
      <Button small label={t('zoomIn')} disabled={control.isMaxZoom} onClick={control.zoomIn} />
      <Button small label={t('zoomOut')} onClick={control.zoomOut} />
      <Button small label={t('zoomOutAll')} disabled={control.range !== undefined} onClick={control.reset} />
    </div>
  )
}
