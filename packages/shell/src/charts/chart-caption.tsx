import { useLocale, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import styles from './charts.module.css'
import type { Series } from './detail.ts'
import { durationText, perText } from './duration-text.ts'
import { chartTexts } from './texts.ts'

/** The range of a chart, what its values are, and how to zoom and move the chart. */
export function ChartCaption({ series }: { series: readonly Series[] }): ReactNode {
  const t = useTexts(shellTexts)
  const chartText = useTexts(chartTexts)
  const locale = useLocale()
  const times = useBuildingTimes()
  const { building } = useBuildingData()
  const { span } = series[0]!
  const minuteOf = times.formatter([span.from, span.to], 'minute')
  const raw = series.filter(({ detail }) => detail.kind === 'raw')
  const kinds = new Set(
    series.flatMap(({ detail }) => {
      if (detail.kind === 'raw') return []
      return detail.aggregation === 'delta'
        ? [chartText('consumption', { interval: perText(detail.stepMs, locale) })]
        : [chartText('averages', { interval: durationText(detail.stepMs, locale) })]
    }),
  )
  const sampledFrom = raw.reduce((sum, one) => sum + (one.sampledFrom ?? 0), 0)
  const parts = [
    t('zoomedRange', { from: minuteOf(span.from), to: minuteOf(span.to) }),
    ...(raw.length > 0 ? [t('rawValues', { n: raw.reduce((sum, one) => sum + one.times.length, 0) })] : []),
    ...kinds,
    ...(sampledFrom > 0 ? [t('sampled', { n: sampledFrom })] : []),
    t('timesIn', { zone: building.timezone }),
  ]
  return (
    <p className={styles.caption}>
      {parts.join(' · ')}. {t('dragToZoom')} {chartText('keys')}
    </p>
  )
}
