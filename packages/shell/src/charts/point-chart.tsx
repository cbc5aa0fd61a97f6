import type { PointNode } from '@storey/sdk'
import { Button, EmptyState, ErrorPanel, LoadingState, Panel, Select, useLoad, useWords } from '@storey/web'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { withUnit } from '../colouring/colour-picker.tsx'
import { unitSymbol } from '../live/format-value.ts'
import styles from './charts.module.css'
import { readSeries, type Series, type Span, shifted } from './detail.ts'
import { useMoments } from './moments.ts'
import { ReadingTable } from './reading-table.tsx'

/** The library for charts comes with the first chart. */
const LineChart = lazy(() => import('./line-chart.tsx'))

const DAY_MS = 86_400_000
const RANGES = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const
type Range = keyof typeof RANGES

interface PointChartProps {
  point: PointNode
  /** Points to choose from. */
  others?: readonly PointNode[]
  onChoose?(pointId: string): void
}

/** The history of a point: hours from far away, single readings from near; as a line or as a table. */
export function PointChart({ point, others, onChoose }: PointChartProps): ReactNode {
  const t = useWords(shellWords)
  const { api } = useShell()
  const [range, setRange] = useState<Range>('day')
  const [opened] = useState(() => Date.now())
  const [zoom, setZoom] = useState<Span>()
  const [isTable, setIsTable] = useState(false)
  const span = zoom ?? { from: opened - RANGES[range], to: opened }
  const series = useLoad((signal) => readSeries(api, point, span, signal), [point.id, span.from, span.to])

  const choose = (next: Range) => {
    setRange(next)
    setZoom(undefined)
  }
  return (
    <Panel
      title={withUnit(point.name, unitSymbol(point.unit))}
      actions={
        <>
          <fieldset className="st-segments" aria-label={t('range')}>
            {(Object.keys(RANGES) as Range[]).map((one) => (
              <button key={one} type="button" aria-pressed={!zoom && one === range} onClick={() => choose(one)}>
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
              setZoom(undefined)
              onChoose(id)
            }}
          />
        ) : null}
        <div className={styles.moves}>
          <Button small label={t('earlier')} onClick={() => setZoom(shifted(span, -0.5))} />
          <Button small label={t('zoomIn')} onClick={() => setZoom(nearer(span))} />
          <Button small label={t('later')} onClick={() => setZoom(shifted(span, 0.5))} />
          <Button small label={t('zoomOutAll')} disabled={!zoom} onClick={() => setZoom(undefined)} />
        </div>
      </div>
      <ErrorPanel error={series.error} onRetry={series.reload} />
      <div className={styles.body}>
        {series.data === undefined ? (
          series.error === undefined ? (
            <LoadingState />
          ) : null
        ) : series.data.times.length === 0 ? (
          <EmptyState level={3} icon="clock" title={t('noReadings')} text={t('noReadingsText')} />
        ) : isTable ? (
          <ReadingTable point={point} series={series.data} />
        ) : (
          <Suspense fallback={<LoadingState />}>
            <LineChart point={point} series={series.data} span={span} onZoom={setZoom} />
          </Suspense>
        )}
      </div>
      {series.data ? <Caption span={span} series={series.data} /> : null}
    </Panel>
  )
}

/** The middle half. */
const nearer = ({ from, to }: Span): Span => ({ from: from + (to - from) / 4, to: to - (to - from) / 4 })

function Caption({ span, series }: { span: Span; series: Series }): ReactNode {
  const t = useWords(shellWords)
  const moment = useMoments()
  const { building } = useBuildingData()
  const { detail, times, sampledFrom } = series
  const what = [
    t('zoomedRange', { from: moment(span.from), to: moment(span.to) }),
    detail.kind === 'raw'
      ? t('rawValues', { n: times.length })
      : t(detail.aggregation === 'avg' ? 'averages' : 'increases', { interval: detail.interval }),
    ...(sampledFrom === undefined ? [] : [t('sampled', { n: sampledFrom })]),
    t('timesIn', { zone: building.timezone }),
  ]
  return (
    <p className={styles.caption}>
      {what.join(' · ')}. {t('dragToZoom')}
    </p>
  )
}
